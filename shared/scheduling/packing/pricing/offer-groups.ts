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
import { oncePrepared } from '../../input/memo.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import type { OfferingIndex, OfferingScope } from '../../instance-types/offering-index.ts';
import { type CommonPlace, commonPlaces } from './common-places.ts';

/** What a pool leaves to some pods, their size left out of account. */
export interface Access {
  readonly template: NodeClaimTemplate;
  readonly allowed: Bitset;
  readonly where: OfferingScope;
}

/** Pods that may use the same nodes. */
export interface Crowd {
  readonly accesses: readonly Access[];
}

/** A node that could be opened: a type of a pool, at the best price of the places in question. */
export interface StallOffer {
  readonly type: number;
  /** What is left for pods once the DaemonSets run. */
  readonly room: Vector;
  /** Per hour, with what a node costs beside its instance. */
  readonly usd: number;
}

/** Offers of one pool that are open to the same crowds. */
export interface Stall {
  readonly template: NodeClaimTemplate;
  readonly where: OfferingScope;
  /** Positions of the crowds. */
  readonly crowds: readonly number[];
  readonly offers: readonly StallOffer[];
}

/**
 * Every node that the crowds could use, sorted by who may use it. A type that costs no less than
 * another and has no more of anything is left out: of the 1,300 types of EC2 that leaves about 90.
 */
export function stallsOf(crowds: readonly Crowd[], problem: Problem, perNodeUsd: number): Stall[] {
  return problem.nodeTemplates.flatMap((template) => {
    const visitors = crowds.flatMap(({ accesses }, crowd): Visitor[] => {
      const access = accesses.find((one) => one.template === template);
      return access ? [{ crowd, ...access }] : [];
    });
    return commonPlaces(visitors, ({ where }) => where, problem.offerings).flatMap((place) =>
      partsOf(place, problem).map((part) => ({
        template,
        where: place.where,
        crowds: part.visitors.map(({ crowd }) => crowd),
        offers: offersOf(template, part.types, place.where, problem, perNodeUsd),
      })),
    );
  });
}

interface Visitor extends Access {
  readonly crowd: number;
}

interface Part {
  readonly types: Bitset;
  readonly visitors: readonly Visitor[];
}

/** Equal sets of types as one number each. */
export const numbersOfSets = oncePrepared(setNumbers);

/** Splits the types on offer by which of the visitors may use them. */
function partsOf({ members: visitors, where }: CommonPlace<Visitor>, problem: Problem): Part[] {
  const { typeIndex, offerings, reservations } = problem;
  const numberOf = numbersOfSets(problem);
  const anyOf = visitors.reduce((all, { allowed }) => union(all, allowed), typeIndex.none);
  const offered = intersection(anyOf, offerings.offered(where));
  const sets = new Map(visitors.map(({ allowed }) => [numberOf(allowed), allowed]));
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
      visitors: visitors.filter(({ allowed }) => isSubset(types, allowed)),
    }));
}

function offersOf(
  { daemons }: NodeClaimTemplate,
  types: Bitset,
  where: OfferingScope,
  { typeIndex, offerings }: Problem,
  perNodeUsd: number,
): StallOffer[] {
  const { numberOf, offers: found } = memoryOf(offerings);
  const key = [numberOf(types), where.zones, where.capacityTypes, perNodeUsd];
  const text = `${key.join()} ${daemons.map(({ types: some, overhead }) => `${numberOf(some)} ${overhead.join()}`).join()}`;
  return getOrCreate(found, text, () => {
    const offers = daemons.flatMap(({ types: some, overhead }) =>
      bitsOf(intersection(types, some)).map((type): StallOffer => {
        const room = Float64Array.from(overhead, (taken, column) =>
          Math.max(0, at(typeIndex.allocatable[type] ?? NOTHING, column) - taken),
        );
        return { type, room, usd: offerings.cheapestUsd(type, where) + perNodeUsd };
      }),
    );
    return worthwhile(offers);
  });
}

/** The nodes worth looking at, by types, place and DaemonSets. */
interface OfferMemory {
  readonly numberOf: SetNumbers;
  readonly offers: Map<string, StallOffer[]>;
}

// A market outlives many decisions.
const memories = new WeakMap<OfferingIndex, OfferMemory>();

function memoryOf(offerings: OfferingIndex): OfferMemory {
  return getOrCreate(memories, offerings, () => ({ numberOf: setNumbers(), offers: new Map() }));
}

const NOTHING: Vector = new Float64Array();

/** Those that no other one undercuts with at least as much of everything. */
function worthwhile(offers: readonly StallOffer[]): StallOffer[] {
  const kept: StallOffer[] = [];
  for (const offer of offers.toSorted((a, b) => a.usd - b.usd || sizeOf(b) - sizeOf(a))) {
    if (!kept.some(({ room }) => covers(room, offer.room))) kept.push(offer);
  }
  return kept;
}

const sizeOf = ({ room }: StallOffer): number => at(room, 0) + at(room, 1);

function covers(more: Vector, less: Vector): boolean {
  for (let column = 0; column < less.length; column++) {
    if (at(more, column) < at(less, column)) return false;
  }
  return true;
}
