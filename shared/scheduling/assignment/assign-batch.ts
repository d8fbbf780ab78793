import type { Pod } from '../../model/pod.ts';
import { type Assignment, type AssignmentRules, assign, type UnitCaps } from './assign.ts';
import { bookFor } from '../devices/device-room.ts';
import { type PodClass, podClasses } from '../pods/pod-classes.ts';
import { settlePods } from './resolve-volumes-and-devices.ts';
import { type Problem, problemWithout } from '../input/problem.ts';
import { asWritten, type Reading, turnsOf } from './batch-variants.ts';
import { withDefaultSpread } from '../topology/default-spread.ts';
import { labelKeysOf, type PodOnBin, podsOnBins } from '../topology/running-pod-counts.ts';
import { type Topology, topologyOf } from '../topology/topology.ts';

/** Where pods of a batch may go. */
export interface AssignmentOptions
  extends Partial<Pick<AssignmentRules, 'mayReceive' | 'newNodes'>> {
  /** Bins that count for nothing: they are about to be removed. */
  readonly without?: readonly string[];
}

/** A batch assigned to domains and existing bins; what is left waits for new nodes as units. */
export interface AssignedBatch extends Assignment {
  readonly problem: Problem;
  readonly topology: Topology;
  /** Pods of the batch that run somewhere. */
  readonly moving: readonly PodOnBin[];
}

export function assignBatch(
  problem: Problem,
  batch: readonly Pod[],
  options: AssignmentOptions = {},
): AssignedBatch {
  const written = asWritten(classesOf(problem, batch));
  return assignClasses(problem, batch, written, options, new Map());
}

export function classesOf(problem: Problem, batch: readonly Pod[]): readonly PodClass[] {
  const spread = withDefaultSpread(batch, problem.snapshot);
  const settled = settlePods(spread, problem.snapshot, problem.attachLimits);
  const policy = problem.snapshot.settings?.preferencePolicy;
  return podClasses(settled, labelKeysOf(problem, settled), policy);
}

export function assignClasses(
  problem: Problem,
  batch: readonly Pod[],
  reading: Reading,
  { without = [], mayReceive = () => true, newNodes = true }: AssignmentOptions,
  caps: UnitCaps,
): AssignedBatch {
  const { classes } = reading;
  const turns = turnsOf(reading);
  const staying = without.reduce(problemWithout, problem);
  const devices = bookFor(problem, classes, batch);
  const reduced = devices ? { ...staying, devices } : staying;
  const moving = podsOnBins(batch, problem);
  const topology = topologyOf(problem, classes, moving);
  const assignment = assign(reduced, classes, topology, { mayReceive, newNodes, caps, turns });
  return { ...assignment, problem: reduced, topology, moving };
}
