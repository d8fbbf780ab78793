import {
  computeMissingOnDemand,
  type OnDemandShare,
  type SharedCapacity,
} from '../../model/offerings/on-demand-share.ts';
import { CPU } from '../../model/resources.ts';
import { intersection, isEmptyBitset, overlaps } from '../data-structures/bitset.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { Problem } from '../input/problem.ts';
import { sumPoolCapacity } from '../input/shared-capacity.ts';
import { findUnmetMinValues } from '../instance-types/min-values.ts';
import { type OfferingScope, SPOT } from '../instance-types/offering-index.ts';
import { findCheapestType, type NewNode } from './new-nodes/new-node.ts';

/**
 * Restricts new nodes to on-demand until each NodePool has the vCPUs on demand that its share asks for.
 * Nodes without an on-demand offering stay as they are: pods run on spot rather than not at all.
 *
 * @param receivers - names of existing nodes that get pods of the plan
 * @returns the same array if nothing changes
 */
export function keepOnDemandShares(
  newNodes: readonly NewNode[],
  problem: Problem,
  receivers: ReadonlySet<string>,
): readonly NewNode[] {
  if (problem.ignoresOnDemandShares) return newNodes;
  const restricted = new Map<NewNode, NewNode>();
  for (const [pool, own] of Map.groupBy(newNodes, ({ template }) => template.pool)) {
    if (!pool.onDemandShare) continue;
    const existing = sumPoolCapacity(pool.name, problem.existingNodes, problem, receivers);
    for (const { from, to } of chooseOnDemandNodes(own, pool.onDemandShare, existing, problem))
      restricted.set(from, to);
  }
  return restricted.size === 0 ? newNodes : newNodes.map((node) => restricted.get(node) ?? node);
}

/** A new node and its restriction to on-demand. */
interface Restriction {
  readonly from: NewNode;
  readonly to: NewNode;
  readonly cpus: number;
  readonly extraUsd: number;
}

function chooseOnDemandNodes(
  newNodes: readonly NewNode[],
  share: OnDemandShare,
  existing: SharedCapacity,
  problem: Problem,
): readonly Restriction[] {
  let { onDemand, total } = existing;
  let restrictions: readonly Restriction[] = newNodes.flatMap((node) => {
    const cpus = countNewCpus(node, problem);
    total += cpus;
    if (mayBeSpot(node, problem)) return restrictToOnDemand(node, problem) ?? [];
    onDemand += cpus;
    return [];
  });
  const chosen: Restriction[] = [];
  for (;;) {
    const missing = computeMissingOnDemand(share, { onDemand, total }, 'vCPUs');
    const next = missing > 0 ? chooseNext(restrictions, missing) : undefined;
    if (!next) return chosen;
    chosen.push(next);
    restrictions = restrictions.filter((one) => one !== next);
    onDemand += next.cpus;
    total += next.cpus - countNewCpus(next.from, problem);
  }
}

/** Chooses the node that is enough at the least extra price; if none is enough, the largest one. */
function chooseNext(restrictions: readonly Restriction[], missing: number): Restriction | undefined {
  const enough = restrictions.filter(({ cpus }) => cpus >= missing);
  const [first, ...others] = enough.length > 0 ? enough : restrictions;
  const isBetter = (a: Restriction, b: Restriction): boolean =>
    enough.length > 0 ? a.extraUsd < b.extraUsd : a.cpus > b.cpus;
  return others.reduce((best, next) => (best && isBetter(next, best) ? next : best), first);
}

function countNewCpus(newNode: NewNode, problem: Problem): number {
  const { type } = findCheapestType(newNode, problem);
  const capacity = problem.typeIndex.capacity[type];
  return capacity ? at(capacity, problem.columns.indexOf.get(CPU) ?? -1) / 1000 : 0;
}

const restrictScope = ({ zones, capacityTypes }: OfferingScope, mask: number): OfferingScope => ({
  zones,
  capacityTypes: capacityTypes & mask,
});

/** True if the node may be launched as a spot instance now. */
const mayBeSpot = ({ types, where }: NewNode, { offerings }: Problem): boolean =>
  (where.capacityTypes & SPOT) !== 0 && overlaps(types, offerings.offered(restrictScope(where, SPOT)));

/** @returns undefined if no type of the node is offered on demand, or too few for minValues */
function restrictToOnDemand(from: NewNode, problem: Problem): Restriction | undefined {
  const where = restrictScope(from.where, ~SPOT);
  const types = intersection(from.types, problem.offerings.offered(where));
  if (isEmptyBitset(types)) return undefined;
  if (findUnmetMinValues(from.template, types, problem, from.minValues)) return undefined;
  const to = { ...from, types, where };
  const extraUsd = findCheapestType(to, problem).hourlyUsd - findCheapestType(from, problem).hourlyUsd;
  return { from, to, cpus: countNewCpus(to, problem), extraUsd };
}
