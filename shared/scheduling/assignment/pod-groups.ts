import type { PodSpec } from '../../model/pod.ts';
import { untoleratedTaint } from '../../model/taints.ts';
import { withDevices } from '../devices/device-room.ts';
import type { Alternative } from '../pods/relaxations.ts';
import type { DaemonGroup } from '../instance-types/daemon-overhead.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import { oncePrepared } from '../input/memo.ts';
import { takenPort } from '../topology/host-rules.ts';
import type { ClassTopology } from '../topology/topology.ts';
import {
  type Bitset,
  intersection,
  isEmptyBitset,
  isSameBitset,
  keepOnly,
  union,
} from '../data-structures/bitset.ts';
import { toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { type Narrowed, narrowTemplate, type Opening, pinDomain } from '../instance-types/narrowing.ts';

/** Topology domains that were chosen, by key. */
export type Pins = ReadonlyMap<string, string>;

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
  alternative: Alternative,
  pins: Pins,
  problem: Problem,
): Option[] {
  return unpinnedOptions(cls.spec, alternative, problem).flatMap((option) => {
    const pinned = pinnedTo({ ...option, types: option.allowed }, pins, problem);
    const offered = problem.offerings.offered(pinned.where);
    const types = intersection(intersection(option.types, pinned.types), offered);
    if (isEmptyBitset(types)) return [];
    return [{ ...pinned, template: option.template, types, allowed: pinned.types }];
  });
}

const knownOptions = oncePrepared(() => new Map<Alternative, readonly Option[]>());

/** Alternatives belong to one pod template, so that what they lead to is worked out once. */
export function unpinnedOptions(
  spec: PodSpec,
  alternative: Alternative,
  problem: Problem,
): readonly Option[] {
  const options = knownOptions(problem);
  const known = options.get(alternative);
  if (known) return known;
  if (spec.settled?.refusal) return [];
  const found = problem.templates.flatMap((template): Option[] => {
    if (untoleratedTaint(template.pool.taints, alternative.tolerations)) return [];
    const { index, offerings } = problem;
    const narrowing = narrowTemplate(template, alternative.requirements, index, offerings.zones);
    if (narrowing.outcome === 'conflict') return [];
    const narrowed = withDevices(spec, { ...narrowing.narrowed, template }, problem);
    const request = toVector(problem.columns, spec.requests);
    const holding = typesForAll(template.daemons, request, problem, spec);
    const types = intersection(narrowed.types, holding);
    return [{ ...narrowed, template, types, allowed: narrowed.types }];
  });
  options.set(alternative, found);
  return found;
}

/**
 * Whether another required term, or giving up more of what the class would like, opens nodes that
 * the unit does not have.
 */
export function hasWiderWay({ cls, way, options }: Unit, problem: Problem): boolean {
  const present = cls.alternatives[way];
  const wider = cls.alternatives.filter(
    ({ level }, other) => other !== way && level >= (present?.level ?? 0),
  );
  if (present && wider.some((one) => rulesIn(one) < rulesIn(present))) return true;
  return wider
    .flatMap((alternative) => optionsFor(cls, alternative, NO_PINS, problem))
    .some((wider) => !options.some((option) => isSameOption(option, wider)));
}

/** How many rules on its neighbours one way to satisfy a pod brings, beside the required ones. */
const rulesIn = ({ spreads, podAffinity, podAntiAffinity }: Alternative): number =>
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
    if (spec && takenPort(spec.hostPorts, group.hostPorts)) continue;
    const fitting = index.holding(request, group.overhead);
    keepOnly(fitting, group.types);
    holding = holding ? union(holding, fitting) : fitting;
  }
  return holding ?? index.none;
}
