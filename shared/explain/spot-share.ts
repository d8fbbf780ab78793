import { formatCount } from '../model/explanations/phrases.ts';
import { formatOffering, type Offering } from '../model/offerings/instance-type.ts';

/** A node, with the offering that it is launched from, and the number of its pods. */
export interface OfferedNode extends Omit<Offering, 'hourlyUsd'> {
  readonly podCount: number;
}

/**
 * Names the spot offering of most nodes: EC2 takes back capacity by offering, so that these nodes may go at once.
 *
 * @returns undefined if no two nodes have the same spot offering
 */
export function describeSpotShare(nodes: readonly OfferedNode[]): string | undefined {
  const nodesByOffering = Map.groupBy(
    nodes.filter(({ capacityType }) => capacityType === 'spot'),
    formatOffering,
  );
  const [largest] = [...nodesByOffering].toSorted(([, a], [, b]) => b.length - a.length);
  if (!largest || largest[1].length < 2) return undefined;
  const [offering, own] = largest;
  const [ownPods, allPods] = [own, nodes].map((some) => some.reduce((sum, { podCount }) => sum + podCount, 0));
  return `${own.length} of ${formatCount(nodes.length, 'node')} and ${ownPods} of ${formatCount(allPods ?? 0, 'pod')} are on ${offering}`;
}
