import type { ClusterManifests } from '../api/cluster-manifests.ts';
import type { Labels } from '../model/labels.ts';

/** Every namespace that something is in, with the label that Kubernetes gives each. */
export function namespacesOf(manifests: ClusterManifests): Readonly<Record<string, Labels>> {
  const { workloads, pods, podDisruptionBudgets } = manifests;
  const names = [...workloads, ...pods, ...podDisruptionBudgets].map(({ namespace }) => namespace);
  return Object.fromEntries(
    [...new Set(['default', 'kube-system', ...names])].map((name) => [
      name,
      { 'kubernetes.io/metadata.name': name },
    ]),
  );
}
