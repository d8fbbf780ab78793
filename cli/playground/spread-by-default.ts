import type { ClusterManifests } from '../../shared/api/manifests/cluster-manifests.ts';
import type { Workload } from '../../shared/model/pods/workload.ts';
import type { DecisionSettings } from '../../shared/model/settings.ts';
import { withDefaultSpread } from '../../shared/scheduling/topology/default-spread.ts';

/**
 * Writes the cluster's default spread into pods and templates, because the simulated kube-scheduler
 * reads pods only.
 */
export function applyDefaultSpread(
  manifests: ClusterManifests,
  settings: DecisionSettings,
): ClusterManifests {
  const { services = [], pods, workloads } = manifests;
  const cluster = { settings, services };
  const spread = (workload: Workload): Workload => {
    const { namespace, template, kind, name } = workload;
    const owner = { kind: kind === 'Deployment' ? 'ReplicaSet' : kind, name, uid: name };
    const [pod] = withDefaultSpread([{ ...template, namespace, owner }], cluster);
    return pod ? { ...workload, template: { ...template, spec: pod.spec } } : workload;
  };
  return {
    ...manifests,
    pods: withDefaultSpread(pods, cluster),
    workloads: workloads.map((one) => (one.kind === 'DaemonSet' ? one : spread(one))),
  };
}
