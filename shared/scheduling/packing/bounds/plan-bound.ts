import type { CostBound } from '../../../model/plans.ts';
import type { Pod } from '../../../model/pods/pod.ts';
import type { Assignment } from '../../assignment/assign.ts';
import type { Problem } from '../../input/problem.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import type { NewNode } from '../new-nodes/packing-state.ts';
import { lowerBoundUsd } from './lower-bound.ts';
import type { Wanted } from './pod-kinds.ts';

/** What a solution launches and where it puts pods on existing nodes. */
interface PlacedBatch extends Pick<Assignment, 'placed'> {
  readonly drafts: readonly NewNode[];
  /** Of the new nodes, in USD per hour. */
  readonly costUsd: number;
}

/**
 * How close a solution comes to the cheapest that could place the same pods; undefined if it
 * launches nothing.
 *
 * @param kept - pods that other solutions could have put elsewhere as well
 */
export function boundOf(
  problem: Problem,
  { drafts, placed, costUsd }: PlacedBatch,
  kept: readonly Pod[],
): CostBound | undefined {
  if (drafts.length === 0) return undefined;
  const wanted = [...wantedBy({ drafts, placed }), ...kept.map(({ spec }) => ({ spec, pods: 1 }))];
  const leastUsd = lowerBoundUsd(problem, wanted);
  return {
    costUsd,
    leastCostUsd: leastUsd(problem.perNodeUsd),
    leastHourlyUsd: leastUsd(0),
  };
}

/** Pods on nodes that are there count as well: others could be in their place. */
function wantedBy({ drafts, placed }: Pick<PlacedBatch, 'drafts' | 'placed'>): Wanted[] {
  const wanted = new Map<PodClass, Wanted>();
  const add = (cls: PodClass, pods: number, topology?: Wanted['topology']) => {
    const known = wanted.get(cls);
    const rules = topology ?? known?.topology;
    const sum = pods + (known?.pods ?? 0);
    wanted.set(cls, { spec: cls.spec, pods: sum, ...(rules ? { topology: rules } : {}) });
  };
  for (const counts of placed.values()) for (const [cls, pods] of counts) add(cls, pods);
  for (const { podCounts } of drafts) {
    for (const [{ cls, topology }, pods] of podCounts) add(cls, pods, topology);
  }
  return [...wanted.values()];
}
