import type { ClusterManifests } from '../api/cluster-manifests.ts';
import type { Labels } from '../model/labels.ts';

/** Every namespace that something is in, with the label that Kubernetes gives each. */
export function namespacesOf(manifests: ClusterManifests): Readonly<Record<string, Labels>> {
  const { workloads, pods, podDisruptionBudgets, namespaces = {} } = manifests;
  const mentioned = [...workloads, ...pods, ...podDisruptionBudgets].map((each) => each.namespace);
  const names = new Set(['default', 'kube-system', ...mentioned, ...Object.keys(namespaces)]);
  return Object.fromEntries(
    [...names].map((name) => [name, { ...namespaces[name], 'kubernetes.io/metadata.name': name }]),
  );
}
