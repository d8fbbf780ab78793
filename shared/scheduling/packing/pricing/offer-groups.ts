import { getOrCreate } from '../../../model/memo.ts';
import {
  type Bitset,
  createSetNumbers,
  intersection,
  isEmptyBitset,
  isSubset,
  listBits,
  type SetNumbers,
  union,
  without,
} from '../../data-structures/bitset.ts';
import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { NodeCosts } from '../../input/node-costs.ts';
import { memoizePerSnapshot, type Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import type { OfferingIndex, OfferingScope } from '../../instance-types/offering-index.ts';
import { type CommonScope, groupByScope } from './common-scopes.ts';

/** The part of a pool that pods may use, whatever their size. */
export interface PoolAccess {
  readonly template: NodeClaimTemplate;
  readonly allowed: Bitset;
  readonly where: OfferingScope;
}

/** Pods that may use the same nodes. */
export interface EligibilityGroup {
  readonly accesses: readonly PoolAccess[];
}

/**
 * A node that could be opened: an instance type of a pool at its best price in the zones and
 * capacity types.
 */
export interface PricedNodeType {
  readonly type: number;
  /** Room for pods beside the DaemonSets. */
  readonly room: Vector;
  /** Price per hour, with the cost of a node besides its instance. */
  readonly usd: number;
}

/** Nodes of one pool that are open to the same eligibility groups. */
export interface OfferGroup {
  readonly template: NodeClaimTemplate;
  readonly where: OfferingScope;
  /** Positions of the eligibility groups. */
  readonly eligibilityGroups: readonly number[];
  readonly offers: readonly PricedNodeType[];
}

/**
 * Lists the nodes that the eligibility groups could use, grouped by the groups that may use them. A
 * type that is not cheaper than another and has no more of any resource is left out: of the 1,300
 * types of EC2 about 90 remain.
 */
export function listOfferGroups(
  eligibilityGroups: readonly EligibilityGroup[],
  problem: Problem,
  nodeCosts: NodeCosts,
): OfferGroup[] {
  return problem.nodeTemplates.flatMap((template) => {
    const groupAccesses = eligibilityGroups.flatMap(({ accesses }, eligibilityGroup): GroupAccess[] => {
      const access = accesses.find((one) => one.template === template);
      return access ? [{ eligibilityGroup, ...access }] : [];
    });
    return groupByScope(groupAccesses, ({ where }) => where, problem.offerings).flatMap((scope) =>
      splitTypes(scope, problem).map((part) => ({
        template,
        where: scope.where,
        eligibilityGroups: part.groupAccesses.map(({ eligibilityGroup }) => eligibilityGroup),
        offers: listOffers(template, part.types, scope.where, problem, nodeCosts(template.pool)),
      })),
    );
  });
}

interface GroupAccess extends PoolAccess {
  readonly eligibilityGroup: number;
}

interface TypePart {
  readonly types: Bitset;
  readonly groupAccesses: readonly GroupAccess[];
}

/** Numbers equal sets of types, for cache keys. */
export const getSetNumbers = memoizePerSnapshot(createSetNumbers);

/** Splits the offered types by the eligibility groups that may use them. */
function splitTypes({ members: groupAccesses, where }: CommonScope<GroupAccess>, problem: Problem): TypePart[] {
  const { typeIndex, offerings, reservations } = problem;
  const numberOf = getSetNumbers(problem);
  const anyOf = groupAccesses.reduce((all, { allowed }) => union(all, allowed), typeIndex.none);
  const offered = intersection(anyOf, offerings.offered(where));
  const sets = new Map(groupAccesses.map(({ allowed }) => [numberOf(allowed), allowed]));
  let parts = [reservations ? without(offered, reservations.types) : offered];
  for (const set of sets.values()) {
    parts = parts
      .flatMap((part) => (isSubset(part, set) ? [part] : [intersection(part, set), without(part, set)]))
      .filter((part) => !isEmptyBitset(part));
  }
  return parts
    .filter((types) => !isEmptyBitset(types))
    .map((types) => ({
      types,
      groupAccesses: groupAccesses.filter(({ allowed }) => isSubset(types, allowed)),
    }));
}

function listOffers(
  template: NodeClaimTemplate,
  types: Bitset,
  where: OfferingScope,
  problem: Problem,
  perNodeUsd: number,
): readonly PricedNodeType[] {
  const cached = findCachedOffers(template, types, where, problem);
  if (cached.perNodeUsd !== perNodeUsd) {
    cached.perNodeUsd = perNodeUsd;
    cached.offers = cached.instances.map((one) => ({ ...one, usd: one.usd + perNodeUsd }));
  }
  return cached.offers;
}

function findCachedOffers(
  { daemons }: NodeClaimTemplate,
  types: Bitset,
  where: OfferingScope,
  { typeIndex, offerings }: Problem,
): CachedOffers {
  const { numberOf, offers } = getMemo(offerings);
  const key = [numberOf(types), where.zones, where.capacityTypes];
  const text = `${key.join()} ${daemons.map(({ types: some, overhead }) => `${numberOf(some)} ${overhead.join()}`).join()}`;
  return getOrCreate(offers, text, () => {
    const instances = daemons.flatMap(({ types: some, overhead }) =>
      listBits(intersection(types, some)).map((type): PricedNodeType => {
        const room = Float64Array.from(overhead, (taken, column) =>
          Math.max(0, at(typeIndex.allocatable[type] ?? NOTHING, column) - taken),
        );
        return { type, room, usd: offerings.cheapestUsd(type, where) };
      }),
    );
    return { instances: removeDominated(instances), perNodeUsd: Number.NaN, offers: [] };
  });
}

/** Types of which none is dominated, and the same with the last cost of a node: a cost that all nodes have changes no order. */
interface CachedOffers {
  /** Without the cost of a node besides its instance. */
  readonly instances: readonly PricedNodeType[];
  perNodeUsd: number;
  offers: readonly PricedNodeType[];
}

/** Cached offers by types, zones, capacity types and DaemonSets. */
interface OfferMemo {
  readonly numberOf: SetNumbers;
  readonly offers: Map<string, CachedOffers>;
}

// The offerings stay the same for many decisions.
const memos = new WeakMap<OfferingIndex, OfferMemo>();

function getMemo(offerings: OfferingIndex): OfferMemo {
  return getOrCreate(memos, offerings, () => ({ numberOf: createSetNumbers(), offers: new Map() }));
}

const NOTHING: Vector = new Float64Array();

/**
 * Removes nodes for which another node has at least as much of every resource and costs no more.
 */
function removeDominated(offers: readonly PricedNodeType[]): PricedNodeType[] {
  const undominated: PricedNodeType[] = [];
  for (const offer of offers.toSorted((a, b) => a.usd - b.usd || computeSize(b) - computeSize(a))) {
    if (!undominated.some(({ room }) => covers(room, offer.room))) undominated.push(offer);
  }
  return undominated;
}

const computeSize = ({ room }: PricedNodeType): number => at(room, 0) + at(room, 1);

function covers(more: Vector, less: Vector): boolean {
  for (let column = 0; column < less.length; column++) {
    if (at(more, column) < at(less, column)) return false;
  }
  return true;
}
