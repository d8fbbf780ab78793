import { type Pod, podKey } from '../../shared/model/pods/pod.ts';
import { isDaemon, workloadNameOf } from '../../shared/model/pods/workload.ts';
import type { PodState, PodView } from '../views.ts';
import { amountsOf } from './amounts.ts';

/**
 * @param node - name of the NodeView that the pod is bound to
 * @param nominated - name of the NodeView that a decision chose
 */
const podView = (pod: Pod, node: string | undefined, nominated: string | undefined): PodView => ({
  key: podKey(pod),
  namespace: pod.namespace,
  name: pod.name,
  workload: workloadNameOf(pod),
  requests: amountsOf(pod.spec.requests),
  ...(node !== undefined && { node }),
  ...(nominated !== undefined && { nominated }),
  state: podState(pod),
  since: stateSince(pod),
  daemon: isDaemon(pod),
});

function podState({ nodeName, deletionAt, phase, ready }: Pod): PodState {
  if (deletionAt !== undefined) return 'leaving';
  if (nodeName === undefined) return 'pending';
  return phase === 'Running' && ready ? 'running' : 'starting';
}

function stateSince({ nodeName, startedAt, createdAt, unschedulableSince }: Pod): number {
  if (nodeName === undefined) return unschedulableSince ?? createdAt;
  return startedAt ?? createdAt;
}

/** Caches pod views, so that 30,000 of them are not created ten times a second. */
export interface PodCache {
  /** Returns the same object as before if pod and nodes did not change. */
  view(pod: Pod, node: string | undefined, nominated: string | undefined): PodView;
}

export function createPodCache(): PodCache {
  const views = new WeakMap<Pod, PodView>();
  return {
    view(pod, node, nominated) {
      const cached = views.get(pod);
      if (cached && cached.node === node && cached.nominated === nominated) return cached;
      const view = podView(pod, node, nominated);
      views.set(pod, view);
      return view;
    },
  };
}
