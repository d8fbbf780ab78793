import type { Cluster } from '../../../shared/ports/cluster.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { aFatalPod } from '../../support/fatal-pod.ts';
import { InjectedError, type Invocation } from './invocation-ports.ts';

/**
 * Shows pending pods that end the invocation that plans them.
 *
 * @param workloads - names of Deployments
 * @param isFatal - asked at each look at the cluster
 */
export function withFatalPods(
  ports: Ports,
  workloads: ReadonlySet<string>,
  invocation: Invocation,
  isFatal: () => boolean,
): Ports {
  if (workloads.size === 0) return ports;
  const dies = (): never => {
    invocation.die();
    throw new InjectedError('the plan ends its process');
  };
  const cluster: Cluster = {
    ...ports.cluster,
    async observe(options) {
      const objects = await ports.cluster.observe(options);
      if (!isFatal()) return objects;
      const pods = objects.pods.map((pod) =>
        pod.nodeName === undefined && workloads.has(pod.labels.app ?? '')
          ? aFatalPod(pod, dies)
          : pod,
      );
      return { ...objects, pods };
    },
  };
  return { ...ports, cluster };
}
