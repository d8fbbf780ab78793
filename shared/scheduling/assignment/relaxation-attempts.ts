import { isNotIn } from '../../model/requirements/requirement.ts';
import {
  conjunctionOf,
  NO_REQUIREMENTS,
  type Requirements,
} from '../../model/requirements/requirements.ts';
import {
  askedColumns,
  at,
  hasRoom,
  toVector,
  type Vector,
} from '../data-structures/resource-vectors.ts';
import { admits, type ExistingBin } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import type { Pins } from '../topology/domain-choice.ts';
import { createDomainChoice, type DomainChoice } from '../topology/domain-choice.ts';
import type { ClassTopology, Topology, TopologyGroup } from '../topology/topology.ts';
import { fairPrice } from './fair-price.ts';
import type { RoomBook } from './node-room-tracker.ts';
import { optionsFor, type Unit } from './pod-groups.ts';

/** What ways are looked for in. */
export interface AttemptContext {
  readonly cls: PodClass;
  readonly problem: Problem;
  readonly topology: Topology;
  readonly bins: readonly ExistingBin[];
  readonly book: RoomBook;
}

/** One way to satisfy the class, with the bins it suits and the units it has led to, by domains. */
export interface RelaxationAttempt extends RelaxedNeeds {
  readonly choice: DomainChoice;
  readonly suitableNodes: readonly ExistingBin[];
  /** How many of `suitable` have nothing left for pods in some domains: they are not asked again. */
  readonly exhausted: Map<string, number>;
  readonly units: Map<string, Unit>;
}

/** What the pods ask for in one way. */
export interface RelaxedNeeds {
  /** Position among the alternatives of the class. */
  readonly relaxationIndex: number;
  readonly relaxation: Relaxation;
  readonly rules: ClassTopology;
  readonly request: Vector;
}

type IndexedRelaxation = readonly [relaxationIndex: number, relaxation: Relaxation];

/** The alternatives from `start` on that give up equally much: any of them will do. */
export function listLevelFrom(
  relaxations: readonly Relaxation[],
  start: number,
): IndexedRelaxation[] {
  const sameLevel: IndexedRelaxation[] = [];
  for (let relaxationIndex = start; relaxationIndex < relaxations.length; relaxationIndex++) {
    const relaxation = relaxations[relaxationIndex];
    if (!relaxation || relaxation.level !== relaxations[start]?.level) break;
    sameLevel.push([relaxationIndex, relaxation]);
  }
  return sameLevel;
}

/** The ways of one level, those first whose new nodes come first by weight, then by price. */
export function rankAttempts(
  context: AttemptContext,
  level: readonly IndexedRelaxation[],
): RelaxationAttempt[] {
  const attempts = level.map(([relaxationIndex, relaxation]) =>
    createAttempt(context, relaxationIndex, relaxation),
  );
  if (attempts.length === 1) return attempts;
  const ranked = attempts.map((attempt) => ({ attempt, ...findBestNewNode(context, attempt) }));
  return ranked
    .toSorted((a, b) => b.weight - a.weight || a.usd - b.usd)
    .map(({ attempt }) => attempt);
}

function createAttempt(
  context: AttemptContext,
  relaxationIndex: number,
  original: Relaxation,
): RelaxationAttempt {
  const { cls, topology, problem } = context;
  const request = toVector(problem.columns, cls.spec.requests);
  const rules = topology.of(cls, original);
  const relaxation = withoutAvoidedDomains(original, rules.avoidedGroups);
  const needs = { relaxationIndex, relaxation, rules, request };
  const usdIn = (key: string, domain: string) =>
    findBestNewNode(context, needs, new Map([[key, domain]])).usd;
  return {
    ...needs,
    suitableNodes: listSuitableNodes(context, needs),
    choice: createDomainChoice(rules, relaxation, usdIn),
    units: new Map(),
    exhausted: new Map(),
  };
}

/** The same without the domains where pods are that it would rather avoid. */
function withoutAvoidedDomains(
  relaxation: Relaxation,
  avoided: readonly TopologyGroup[],
): Relaxation {
  if (avoided.length === 0) return relaxation;
  const exclusions = avoided.map(({ key, counts }): Requirements => {
    const occupied = [...counts].filter(([, count]) => count > 0).map(([domain]) => domain);
    return occupied.length > 0 ? new Map([[key, isNotIn(...occupied)]]) : NO_REQUIREMENTS;
  });
  const requirements = conjunctionOf(relaxation.requirements, ...exclusions);
  return { ...relaxation, requirements };
}

/** What a pod costs on a new node of the heaviest pool that this way leads to. */
function findBestNewNode(
  { cls, problem }: AttemptContext,
  attempt: RelaxedNeeds,
  pins: Pins = NO_PINS,
): { readonly weight: number; readonly usd: number } {
  const unit = createPodGroup(cls, attempt, pins, problem);
  const weight = Math.max(...unit.options.map(({ template }) => template.pool.weight));
  const prices = unit.options
    .filter(({ template }) => template.pool.weight === weight)
    .map((option) => fairPrice(unit, option, problem));
  return { weight, usd: Math.min(...prices) };
}

const NO_PINS: Pins = new Map();

export const toDomainKey = (pins: Pins): string => (pins.size > 0 ? [...pins].join() : '');

export const isInDomains = (bin: ExistingBin, pins: Pins): boolean => {
  for (const [key, domain] of pins) if (bin.labels[key] !== domain) return false;
  return true;
};

export function findOrCreatePodGroup(
  { cls, problem, units }: Pick<AttemptContext, 'cls' | 'problem'> & { readonly units: Unit[] },
  attempt: RelaxationAttempt,
  pins: Pins,
): Unit {
  const domainKey = toDomainKey(pins);
  const cached = attempt.units.get(domainKey);
  if (cached) return cached;

  const unit = createPodGroup(cls, attempt, pins, problem);
  attempt.units.set(domainKey, unit);
  if (unit.options.length > 0) units.push(unit);
  return unit;
}

export function createPodGroup(
  cls: PodClass,
  attempt: RelaxedNeeds,
  pins: Pins,
  problem: Problem,
): Unit {
  const { relaxationIndex, relaxation, rules, request } = attempt;
  const options = optionsFor(cls, relaxation, pins, problem);
  const shape = { request, asked: askedColumns(request), topology: rules, options };
  return { cls, way: relaxationIndex, pins, place: toDomainKey(pins), ...shape, count: 0 };
}

/** Bins that suit the class whatever else is on them; fullest first, so that room stays in one piece. */
function listSuitableNodes(
  { cls, bins, book }: AttemptContext,
  { relaxation, request }: RelaxedNeeds,
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
          admits(bin, relaxation),
      )
      .map((bin) => ({ bin, utilization: computeUtilization(bin, book.free(bin)) }))
      // Equals stay in the order in which bins are listed: by name.
      .toSorted(
        (a, b) =>
          Number(b.bin.initialized) - Number(a.bin.initialized) || b.utilization - a.utilization,
      )
      .map(({ bin }) => bin)
  );
}

/** The larger of the shares of CPU and memory in use. */
function computeUtilization({ allocatable }: ExistingBin, free: Vector): number {
  return Math.max(computeShareInUse(allocatable, free, 0), computeShareInUse(allocatable, free, 1));
}

function computeShareInUse(allocatable: Vector, free: Vector, column: number): number {
  const allocatableAmount = at(allocatable, column);
  return allocatableAmount > 0 ? 1 - at(free, column) / allocatableAmount : 0;
}
