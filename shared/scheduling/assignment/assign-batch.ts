import type { Pod } from '../../model/pods/pod.ts';
import { createBatchDeviceTracker } from '../devices/device-room.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
import { type Problem, problemWithout } from '../input/problem.ts';
import { groupPodClasses, type PodClass } from '../pods/pod-classes.ts';
import { withDefaultSpread } from '../topology/default-spread.ts';
import {
  findRelevantLabelKeys,
  listPodsOnNodes,
  type PodOnNode,
} from '../topology/running-pod-counts.ts';
import { createTopology, type Topology } from '../topology/topology.ts';
import { type Assignment, type AssignmentRules, assign, type UnitCaps } from './assign.ts';
import { asWritten, type Reading, turnsOf } from './batch-variants.ts';
import { resolveVolumesAndDevices } from './resolve-volumes-and-devices.ts';

/** Where pods of a batch may go. */
export interface AssignmentOptions
  extends Partial<Pick<AssignmentRules, 'mayReceive' | 'newNodes'>> {
  /** Bins that count for nothing: they are about to be removed. */
  readonly without?: readonly string[];
}

/** A batch assigned to domains and existing bins; what is left waits for new nodes as units. */
export interface AssignedBatch extends Assignment {
  readonly problem: PlacementProblem;
  readonly topology: Topology;
  /** Pods of the batch that run somewhere. */
  readonly moving: readonly PodOnNode[];
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
  const settled = resolveVolumesAndDevices(spread, problem.snapshot, problem.attachLimits);
  const policy = problem.snapshot.settings?.preferencePolicy;
  return groupPodClasses(settled, findRelevantLabelKeys(problem, settled), policy);
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
  const devices = createBatchDeviceTracker(problem, classes, batch);
  const reduced = devices ? { ...staying, devices } : staying;
  const moving = listPodsOnNodes(batch, problem);
  const topology = createTopology(problem, classes, moving);
  const assignment = assign(reduced, classes, topology, { mayReceive, newNodes, caps, turns });
  return { ...assignment, problem: reduced, topology, moving };
}
