import { isNotIn } from '../../model/requirement.ts';
import { conjunctionOf, NO_REQUIREMENTS, type Requirements } from '../../model/requirements.ts';
import { admits, type ExistingBin } from '../input/existing-nodes.ts';
import type { RoomBook } from './node-room-tracker.ts';
import { fairPrice } from './fair-price.ts';
import { optionsFor, type Pins, type Unit } from './pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import { type DomainChoice, domainChoice } from '../topology/domain-choice.ts';
import type { ClassTopology, Topology, TopologyGroup } from '../topology/topology.ts';
import { askedColumns, at, hasRoom, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import type { Alternative } from '../pods/relaxations.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/** What ways are looked for in. */
export interface Surroundings {
  readonly cls: PodClass;
  readonly problem: Problem;
  readonly topology: Topology;
  readonly bins: readonly ExistingBin[];
  readonly book: RoomBook;
}

/** One way to satisfy the class, with the bins it suits and the units it has led to, by domains. */
export interface Way extends Wanted {
  readonly choice: DomainChoice;
  readonly suitable: readonly ExistingBin[];
  /** How many of `suitable` have nothing left for pods in some domains: they are not asked again. */
  readonly full: Map<string, number>;
  readonly units: Map<string, Unit>;
}

/** What the pods ask for in one way. */
export interface Wanted {
  /** Position among the alternatives of the class. */
  readonly ordinal: number;
  readonly alternative: Alternative;
  readonly rules: ClassTopology;
  readonly request: Vector;
}

type Numbered = readonly [ordinal: number, alternative: Alternative];

/** The alternatives from `start` on that give up equally much: any of them will do. */
export function levelFrom(alternatives: readonly Alternative[], start: number): Numbered[] {
  const equals: Numbered[] = [];
  for (let ordinal = start; ordinal < alternatives.length; ordinal++) {
    const alternative = alternatives[ordinal];
    if (!alternative || alternative.level !== alternatives[start]?.level) break;
    equals.push([ordinal, alternative]);
  }
  return equals;
}

/** The ways of one level, those first whose new nodes come first by weight, then by price. */
export function waysOf(around: Surroundings, level: readonly Numbered[]): Way[] {
  const ways = level.map(([ordinal, alternative]) => wayOf(around, ordinal, alternative));
  if (ways.length === 1) return ways;
  const ranked = ways.map((way) => ({ way, ...bestNewNode(around, way) }));
  return ranked.toSorted((a, b) => b.weight - a.weight || a.usd - b.usd).map(({ way }) => way);
}

function wayOf(around: Surroundings, ordinal: number, written: Alternative): Way {
  const { cls, topology, problem } = around;
  const request = toVector(problem.columns, cls.spec.requests);
  const rules = topology.of(cls, written);
  const alternative = steeringClear(written, rules.avoided);
  const wanted = { ordinal, alternative, rules, request };
  const usdIn = (key: string, domain: string) =>
    bestNewNode(around, wanted, new Map([[key, domain]])).usd;
  return {
    ...wanted,
    suitable: suitableBins(around, wanted),
    choice: domainChoice(rules, alternative, usdIn),
    units: new Map(),
    full: new Map(),
  };
}

/** The same without the domains where pods are that it would rather avoid. */
function steeringClear(alternative: Alternative, avoided: readonly TopologyGroup[]): Alternative {
  if (avoided.length === 0) return alternative;
  const elsewhere = avoided.map(({ key, counts }): Requirements => {
    const taken = [...counts].filter(([, count]) => count > 0).map(([domain]) => domain);
    return taken.length > 0 ? new Map([[key, isNotIn(...taken)]]) : NO_REQUIREMENTS;
  });
  const requirements = conjunctionOf(alternative.requirements, ...elsewhere);
  return { ...alternative, requirements };
}

/** What a pod costs on a new node of the heaviest pool that this way leads to. */
function bestNewNode(
  { cls, problem }: Surroundings,
  way: Wanted,
  pins: Pins = NO_PINS,
): { readonly weight: number; readonly usd: number } {
  const unit = unitOf(cls, way, pins, problem);
  const weight = Math.max(...unit.options.map(({ template }) => template.pool.weight));
  const prices = unit.options
    .filter(({ template }) => template.pool.weight === weight)
    .map((option) => fairPrice(unit, option, problem));
  return { weight, usd: Math.min(...prices) };
}

const NO_PINS: Pins = new Map();

export const placeOf = (pins: Pins): string => (pins.size > 0 ? [...pins].join() : '');

export const isIn = (bin: ExistingBin, pins: Pins): boolean => {
  for (const [key, domain] of pins) if (bin.labels[key] !== domain) return false;
  return true;
};

export function unitFor(
  { cls, problem, units }: Pick<Surroundings, 'cls' | 'problem'> & { readonly units: Unit[] },
  way: Way,
  pins: Pins,
): Unit {
  const place = placeOf(pins);
  const known = way.units.get(place);
  if (known) return known;

  const unit = unitOf(cls, way, pins, problem);
  way.units.set(place, unit);
  if (unit.options.length > 0) units.push(unit);
  return unit;
}

export function unitOf(cls: PodClass, way: Wanted, pins: Pins, problem: Problem): Unit {
  const { ordinal, alternative, rules, request } = way;
  const options = optionsFor(cls, alternative, pins, problem);
  const shape = { request, asked: askedColumns(request), topology: rules, options };
  return { cls, way: ordinal, pins, place: placeOf(pins), ...shape, count: 0 };
}

/** Bins that suit the class whatever else is on them; fullest first, so that room stays in one piece. */
function suitableBins(
  { cls, bins, book }: Surroundings,
  { alternative, request }: Wanted,
): readonly ExistingBin[] {
  if (bins.length === 0 || cls.spec.schedulingGates.length > 0 || cls.spec.settled?.refusal)
    return [];
  const asked = askedColumns(request);
  return (
    bins
      .filter(
        (bin) =>
          // Most are full before any pod is placed, and told so without the book.
          hasRoom(bin.free, request, asked) &&
          hasRoom(book.free(bin), request, asked) &&
          admits(bin, alternative),
      )
      .map((bin) => ({ bin, fullness: fullness(bin, book.free(bin)) }))
      // Equals stay in the order in which bins are listed: by name.
      .toSorted(
        (a, b) => Number(b.bin.initialized) - Number(a.bin.initialized) || b.fullness - a.fullness,
      )
      .map(({ bin }) => bin)
  );
}

/** The larger of the shares of CPU and memory in use. */
function fullness({ allocatable }: ExistingBin, free: Vector): number {
  return Math.max(shareInUse(allocatable, free, 0), shareInUse(allocatable, free, 1));
}

function shareInUse(allocatable: Vector, free: Vector, column: number): number {
  const all = at(allocatable, column);
  return all > 0 ? 1 - at(free, column) / all : 0;
}
