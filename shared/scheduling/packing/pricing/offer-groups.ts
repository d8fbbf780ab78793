import { getOrCreate } from '../../../model/memo.ts';
import {
  type Bitset,
  bitsOf,
  intersection,
  isEmptyBitset,
  isSubset,
  type SetNumbers,
  setNumbers,
  union,
  without,
} from '../../data-structures/bitset.ts';
import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import { memoizePerSnapshot } from '../../input/memo.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import type { OfferingIndex, OfferingScope } from '../../instance-types/offering-index.ts';
import { type CommonScope, groupByScope } from './common-places.ts';

/** What a pool leaves to some pods, their size left out of account. */
export interface PoolAccess {
  readonly template: NodeClaimTemplate;
  readonly allowed: Bitset;
  readonly where: OfferingScope;
}

/** Pods that may use the same nodes. */
export interface EligibilityGroup {
  readonly accesses: readonly PoolAccess[];
}

/** A node that could be opened: a type of a pool, at the best price of the places in question. */
export interface PricedNodeType {
  readonly type: number;
  /** What is left for pods once the DaemonSets run. */
  readonly room: Vector;
  /** Per hour, with what a node costs beside its instance. */
  readonly usd: number;
}

/** Offers of one pool that are open to the same crowds. */
export interface OfferGroup {
  readonly template: NodeClaimTemplate;
  readonly where: OfferingScope;
  /** Positions of the crowds. */
  readonly eligibilityGroups: readonly number[];
  readonly offers: readonly PricedNodeType[];
}

/**
 * Every node that the crowds could use, sorted by who may use it. A type that costs no less than
 * another and has no more of anything is left out: of the 1,300 types of EC2 that leaves about 90.
 */
export function listOfferGroups(
  eligibilityGroups: readonly EligibilityGroup[],
  problem: Problem,
  perNodeUsd: number,
): OfferGroup[] {
  return problem.nodeTemplates.flatMap((template) => {
    const groupAccesses = eligibilityGroups.flatMap(
      ({ accesses }, eligibilityGroup): GroupAccess[] => {
        const access = accesses.find((one) => one.template === template);
        return access ? [{ eligibilityGroup, ...access }] : [];
      },
    );
    return groupByScope(groupAccesses, ({ where }) => where, problem.offerings).flatMap((scope) =>
      splitTypes(scope, problem).map((part) => ({
        template,
        where: scope.where,
        eligibilityGroups: part.groupAccesses.map(({ eligibilityGroup }) => eligibilityGroup),
        offers: listOffers(template, part.types, scope.where, problem, perNodeUsd),
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

/** Equal sets of types as one number each. */
export const getSetNumbers = memoizePerSnapshot(setNumbers);

/** Splits the types on offer by which of the visitors may use them. */
function splitTypes(
  { members: groupAccesses, where }: CommonScope<GroupAccess>,
  problem: Problem,
): TypePart[] {
  const { typeIndex, offerings, reservations } = problem;
  const numberOf = getSetNumbers(problem);
  const anyOf = groupAccesses.reduce((all, { allowed }) => union(all, allowed), typeIndex.none);
  const offered = intersection(anyOf, offerings.offered(where));
  const sets = new Map(groupAccesses.map(({ allowed }) => [numberOf(allowed), allowed]));
  let parts = [reservations ? without(offered, reservations.types) : offered];
  for (const set of sets.values()) {
    parts = parts
      .flatMap((part) =>
        isSubset(part, set) ? [part] : [intersection(part, set), without(part, set)],
      )
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
  { daemons }: NodeClaimTemplate,
  types: Bitset,
  where: OfferingScope,
  { typeIndex, offerings }: Problem,
  perNodeUsd: number,
): PricedNodeType[] {
  const { numberOf, offers: found } = getMemo(offerings);
  const key = [numberOf(types), where.zones, where.capacityTypes, perNodeUsd];
  const text = `${key.join()} ${daemons.map(({ types: some, overhead }) => `${numberOf(some)} ${overhead.join()}`).join()}`;
  return getOrCreate(found, text, () => {
    const offers = daemons.flatMap(({ types: some, overhead }) =>
      bitsOf(intersection(types, some)).map((type): PricedNodeType => {
        const room = Float64Array.from(overhead, (taken, column) =>
          Math.max(0, at(typeIndex.allocatable[type] ?? NOTHING, column) - taken),
        );
        return { type, room, usd: offerings.cheapestUsd(type, where) + perNodeUsd };
      }),
    );
    return removeDominated(offers);
  });
}

/** The nodes worth looking at, by types, place and DaemonSets. */
interface OfferMemo {
  readonly numberOf: SetNumbers;
  readonly offers: Map<string, PricedNodeType[]>;
}

// A market outlives many decisions.
const memos = new WeakMap<OfferingIndex, OfferMemo>();

function getMemo(offerings: OfferingIndex): OfferMemo {
  return getOrCreate(memos, offerings, () => ({ numberOf: setNumbers(), offers: new Map() }));
}

const NOTHING: Vector = new Float64Array();

/** Those that no other one undercuts with at least as much of everything. */
function removeDominated(offers: readonly PricedNodeType[]): PricedNodeType[] {
  const kept: PricedNodeType[] = [];
  for (const offer of offers.toSorted((a, b) => a.usd - b.usd || computeSize(b) - computeSize(a))) {
    if (!kept.some(({ room }) => covers(room, offer.room))) kept.push(offer);
  }
  return kept;
}

const computeSize = ({ room }: PricedNodeType): number => at(room, 0) + at(room, 1);

function covers(more: Vector, less: Vector): boolean {
  for (let column = 0; column < less.length; column++) {
    if (at(more, column) < at(less, column)) return false;
  }
  return true;
}
