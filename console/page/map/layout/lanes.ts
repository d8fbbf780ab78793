import type { NodeWithPods } from '../../store/cluster-model.ts';

export const GROUPINGS = ['zone', 'pool', 'type'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Nodes that share a zone, NodePool or instance type. */
export interface Lane {
  readonly name: string;
  readonly nodes: readonly NodeWithPods[];
  readonly hourlyUsd: number;
}

/** Groups nodes into lanes by name, the oldest node first, so that nodes keep their positions. */
export function groupIntoLanes(nodes: Iterable<NodeWithPods>, grouping: Grouping): Lane[] {
  const byName = Map.groupBy(nodes, (item) => laneName(item, grouping));
  return [...byName]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([name, members]) => ({
      name,
      nodes: members.toSorted(oldestFirst),
      hourlyUsd: members.reduce((sum, { node }) => sum + (node.hourlyUsd ?? 0), 0),
    }));
}

function laneName({ node }: NodeWithPods, grouping: Grouping): string {
  switch (grouping) {
    case 'zone':
      return node.zone;
    case 'pool':
      return node.pool ?? 'no NodePool';
    case 'type':
      return node.instanceType;
  }
}

const oldestFirst = ({ node: a }: NodeWithPods, { node: b }: NodeWithPods): number =>
  a.bornAt - b.bornAt || (a.name < b.name ? -1 : 1);
