import type { PodSpec } from '../../model/pods/pod.ts';
import { untoleratedTaint } from '../../model/requirements/taints.ts';
import {
  type Bitset,
  intersection,
  isEmptyBitset,
  isSameBitset,
  keepOnly,
  union,
} from '../data-structures/bitset.ts';
import { toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { withTypesHavingDevices } from '../devices/device-room.ts';
import { oncePrepared } from '../input/memo.ts';
import type { Problem } from '../input/problem.ts';
import type { DaemonGroup } from '../instance-types/daemon-overhead.ts';
import {
  type Narrowed,
  narrowTemplate,
  type Opening,
  pinDomain,
} from '../instance-types/narrowing.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import type { Pins } from '../topology/domain-choice.ts';
import { findPortConflict } from '../topology/host-rules.ts';
import type { ClassTopology } from '../topology/topology.ts';

/** A pool that can launch a node for the unit's pods, and what of the pool is left for them. */
export interface Option extends Opening {
  /** The types before it was asked which of them are large enough for the pods. */
  readonly allowed: Bitset;
}

/** Equal pods that go to new nodes of one kind: same class, same way, same domains. */
export interface Unit {
  readonly cls: PodClass;
  /** Which of the class's alternatives, by position. */
  readonly way: number;
  readonly pins: Pins;
  /** Its pinned domains as text; empty where the pods may go anywhere. */
  readonly place: string;
  readonly request: Vector;
  /** The columns that `request` names. */
  readonly asked: readonly number[];
  readonly topology: ClassTopology;
  /** Heaviest pool first. */
  readonly options: readonly Option[];
  count: number;
}

/** How many they are together. */
export const podsOf = (units: readonly Unit[]): number =>
  units.reduce((pods, { count }) => pods + count, 0);

/**
 * The pools that can launch a node for one pod of the class, with what of them is left.
 *
 * Taints, requirements, resources with the DaemonSets that come along, ports and available
 * offerings are all considered; limits are not, for they change while a plan is made.
 */
export function optionsFor(
  cls: PodClass,
  relaxation: Relaxation,
  pins: Pins,
  problem: Problem,
): Option[] {
  return unpinnedOptions(cls.spec, relaxation, problem).flatMap((option) => {
    const pinned = pinnedTo({ ...option, types: option.allowed }, pins, problem);
    const offered = problem.offerings.offered(pinned.where);
    const types = intersection(intersection(option.types, pinned.types), offered);
    if (isEmptyBitset(types)) return [];
    return [{ ...pinned, template: option.template, types, allowed: pinned.types }];
  });
}

const knownOptions = oncePrepared(() => new Map<Relaxation, readonly Option[]>());

/** Alternatives belong to one pod template, so that what they lead to is worked out once. */
export function unpinnedOptions(
  spec: PodSpec,
  relaxation: Relaxation,
  problem: Problem,
): readonly Option[] {
  const options = knownOptions(problem);
  const known = options.get(relaxation);
  if (known) return known;
  if (spec.settled?.refusal) return [];
  const found = problem.templates.flatMap((template): Option[] => {
    if (untoleratedTaint(template.pool.taints, relaxation.tolerations)) return [];
    const { index, offerings } = problem;
    const narrowing = narrowTemplate(template, relaxation.requirements, index, offerings.zones);
    if (narrowing.outcome === 'conflict') return [];
    const narrowed = withTypesHavingDevices(spec, { ...narrowing.narrowed, template }, problem);
    const request = toVector(problem.columns, spec.requests);
    const holding = typesForAll(template.daemons, request, problem, spec);
    const types = intersection(narrowed.types, holding);
    return [{ ...narrowed, template, types, allowed: narrowed.types }];
  });
  options.set(relaxation, found);
  return found;
}

/**
 * Whether another required term, or giving up more of what the class would like, opens nodes that
 * the unit does not have.
 */
export function hasWiderWay({ cls, way, options }: Unit, problem: Problem): boolean {
  const present = cls.relaxations[way];
  const wider = cls.relaxations.filter(
    ({ level }, other) => other !== way && level >= (present?.level ?? 0),
  );
  if (present && wider.some((one) => rulesIn(one) < rulesIn(present))) return true;
  return wider
    .flatMap((relaxation) => optionsFor(cls, relaxation, NO_PINS, problem))
    .some((wider) => !options.some((option) => isSameOption(option, wider)));
}

/** How many rules on its neighbours one way to satisfy a pod brings, beside the required ones. */
const rulesIn = ({ spreads, podAffinity, podAntiAffinity }: Relaxation): number =>
  spreads.length + podAffinity.length + podAntiAffinity.length;

const NO_PINS: Pins = new Map();

const isSameOption = (a: Option, b: Option): boolean =>
  a.template === b.template &&
  a.where.zones === b.where.zones &&
  a.where.capacityTypes === b.where.capacityTypes &&
  isSameBitset(a.types, b.types);

function pinnedTo(
  option: Narrowed,
  pins: Pins,
  { index, offerings: { zones } }: Problem,
): Narrowed {
  let narrowed = option;
  for (const [key, domain] of pins) narrowed = pinDomain(narrowed, key, domain, index, zones);
  return narrowed;
}

/** Pods that have to share a node need a type for all of them; if there is none, for the first. */
function typesForAll(
  daemons: readonly DaemonGroup[],
  request: Vector,
  problem: Problem,
  spec: PodSpec,
): Bitset {
  const { together } = spec.settled ?? {};
  if (together) {
    const all = typesHolding(daemons, toVector(problem.columns, together), problem, spec);
    if (!isEmptyBitset(all)) return all;
  }
  return typesHolding(daemons, request, problem, spec);
}

/** Types on which `request` fits beside the DaemonSets that run on each. */
export function typesHolding(
  daemons: readonly DaemonGroup[],
  request: Vector,
  { index }: Problem,
  spec?: PodSpec,
): Bitset {
  let holding: Bitset | undefined;
  for (const group of daemons) {
    if (spec && findPortConflict(spec.hostPorts, group.hostPorts)) continue;
    const fitting = index.holding(request, group.overhead);
    keepOnly(fitting, group.types);
    holding = holding ? union(holding, fitting) : fitting;
  }
  return holding ?? index.none;
}

const SMALL_PODS = 500;

/**
 * Whether so many pods are a small batch: each of its nodes is a remainder, so that much is tried for
 * it. Large ones fill whole nodes whichever way they are taken, and trying costs more.
 */
export const isSmall = (pods: number): boolean => pods <= SMALL_PODS;
