import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';

/** Replaces each DaemonSet's requests by those of its newest pod, if it has one. */
export function withNewestDaemonPods(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { daemonSets, pods } = snapshot;
  return {
    ...snapshot,
    daemonSets: daemonSets.map((one) => {
      const [newest] = pods
        .filter(
          ({ namespace, owner }) =>
            owner?.kind === 'DaemonSet' && owner.name === one.name && namespace === one.namespace,
        )
        .toSorted((a, b) => b.createdAt - a.createdAt);
      if (!newest) return one;
      const { requests, hostPorts } = newest.spec;
      const spec = { ...one.template.spec, requests, hostPorts };
      return { ...one, template: { ...one.template, spec } };
    }),
  };
}
