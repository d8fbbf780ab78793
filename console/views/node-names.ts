import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';

/** Names of NodeViews by what plans and pods call them: a Node goes by its claim's name. */
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
