import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';

/**
 * Maps the names that plans and pods use to names of NodeViews: a Node has the name of its claim.
 */
export function nodeViewNames({
  claims,
  nodes,
}: Pick<ClusterSnapshot, 'claims' | 'nodes'>): ReadonlyMap<string, string> {
  const names = new Map(nodes.map(({ name }) => [name, name]));
  for (const { name, nodeName } of claims) {
    names.set(name, name);
    if (nodeName !== undefined) names.set(nodeName, name);
  }
  return names;
}
