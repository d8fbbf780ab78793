import type { AssignedBatch } from '../assignment/assign-batch.ts';
import { settleLimits } from '../packing/new-nodes/resolve-limits.ts';
import type { Draft, Drafting } from '../packing/new-nodes/packing-state.ts';
import { costOf, isCheaper, type Packing } from '../packing/packing.ts';
import { optionsFor, type Unit } from '../assignment/pod-groups.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import { topologyOf } from '../topology/topology.ts';
import type { Foreseen } from './foresee.ts';
import { retrace } from './retrace.ts';

/** An assignment, and the packing of its units. */
interface Packed {
  readonly assigned: AssignedBatch;
  readonly packing: Packing;
}

/**
 * The cheapest run that places every pod for less than the best packing does, as a packing of ours;
 * undefined: there is none, or none that keeps our rules.
 */
export function cheaperReplica(
  foreseen: readonly Foreseen[],
  { assigned, packing }: Packed,
  classes: readonly PodClass[],
): Packed | undefined {
  const all = classes.reduce((total, { pods }) => total + pods.length, 0);
  const cheaper = foreseen
    .filter(({ pods, hourlyUsd }) => pods === all && isCheaper(hourlyUsd, packing.hourlyUsd))
    .toSorted((a, b) => a.hourlyUsd - b.hourlyUsd);
  for (const run of cheaper) {
    const replica = replicaOf(run, assigned, classes);
    if (replica && isCheaper(replica.packing.hourlyUsd, packing.hourlyUsd)) return replica;
  }
  return undefined;
}

/** The same nodes with the same pods; undefined: some pod may not be where the run has it. */
function replicaOf(
  { placements }: Foreseen,
  { problem, moving }: AssignedBatch,
  classes: readonly PodClass[],
): Packed | undefined {
  const topology = topologyOf(problem, classes, moving);
  const traced = retrace(placements, topology, problem);
  if (!traced) return undefined;
  const { placed, drafting } = traced;
  if (drafting.drafts.some((draft) => isTooLight(draft, problem))) return undefined;
  settleLimits(drafting);

  const units = traced.units.map((unit) => ({ ...unit, count: podsOf(unit, drafting) }));
  const assigned = { placed, units, stuck: new Map(), problem, topology, moving };
  const left = { left: new Map(), deferred: new Map(), leftPods: 0 };
  return { assigned, packing: { drafting, ...left, ...costOf(drafting) } };
}

/**
 * Whether each of its pods could have been on a node of a heavier pool, in any zone, by any term:
 * nobody looks here whether that pool is full.
 */
const isTooLight = ({ template, contents }: Draft, problem: Problem): boolean =>
  contents.keys().every(({ cls, way }) => {
    const level = cls.alternatives[way]?.level;
    return cls.alternatives
      .filter((alternative) => alternative.level === level)
      .flatMap((alternative) => optionsFor(cls, alternative, new Map(), problem))
      .some((option) => option.template.pool.weight > template.pool.weight);
  });

const podsOf = (unit: Unit, { drafts }: Drafting): number =>
  drafts.reduce((total, { contents }) => total + (contents.get(unit) ?? 0), 0);
