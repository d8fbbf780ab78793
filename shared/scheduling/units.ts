import type { Requirements } from '../model/requirements.ts';
import { untoleratedTaint } from '../model/taints.ts';
import type { Alternative } from './alternatives.ts';
import { type Bitset, intersection, isEmptyBitset, union } from './bitset.ts';
import type { DaemonGroup } from './daemons.ts';
import { takenPort } from './host-ports.ts';
import type { PodClass } from './pod-classes.ts';
import type { Problem } from './problem.ts';
import { type Narrowed, narrowTemplate, pinDomain, type Template } from './templates.ts';
import type { ClassTopology } from './topology.ts';
import { sum, type Vector } from './vectors.ts';

/** Topology domains that were chosen, by key. */
export type Pins = ReadonlyMap<string, string>;

/** A pool that can launch a node for the unit's pods, and what of the pool is left for them. */
export interface Option extends Narrowed {
  readonly template: Template;
}

/** Equal pods that go to new nodes of one kind: same class, same way, same domains. */
export interface Unit {
  readonly cls: PodClass;
  readonly request: Vector;
  /** The columns that `request` names. */
  readonly asked: readonly number[];
  readonly topology: ClassTopology;
  /** Heaviest pool first. */
  readonly options: readonly Option[];
  count: number;
}

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
  request: Vector,
  problem: Problem,
): Option[] {
  return problem.templates.flatMap((template) => {
    if (untoleratedTaint(template.pool.taints, alternative.tolerations)) return [];
    const narrowed = narrowedTo(template, alternative.requirements, pins, problem);
    if (!narrowed) return [];

    const holding = typesHolding(template.daemons, request, problem, cls);
    const offered = problem.offerings.offered(narrowed.where);
    const types = intersection(intersection(narrowed.types, holding), offered);
    return isEmptyBitset(types) ? [] : [{ ...narrowed, template, types }];
  });
}

function narrowedTo(
  template: Template,
  requirements: Requirements,
  pins: Pins,
  { index, offerings: { zones } }: Problem,
): Narrowed | undefined {
  const narrowing = narrowTemplate(template, requirements, index, zones);
  if (narrowing.outcome === 'conflict') return undefined;
  let { narrowed } = narrowing;
  for (const [key, domain] of pins) narrowed = pinDomain(narrowed, key, domain, index, zones);
  return narrowed;
}

/** Types on which `request` fits beside the DaemonSets that run on each. */
export function typesHolding(
  daemons: readonly DaemonGroup[],
  request: Vector,
  { index }: Problem,
  cls?: PodClass,
): Bitset {
  let holding = index.none;
  for (const group of daemons) {
    if (cls && takenPort(cls.spec.hostPorts, group.hostPorts)) continue;
    const fitting = index.holding(sum(request, group.overhead));
    holding = union(holding, intersection(group.types, fitting));
  }
  return holding;
}
