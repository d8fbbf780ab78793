import { ZONE_LABEL } from '../../model/labels.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { createBatchDeviceTracker } from '../devices/device-room.ts';
import type { PlacementProblem } from '../devices/device-tracker.ts';
import { type Problem, withoutNodes } from '../input/problem.ts';
import { groupPodClasses, type PodClass } from '../pods/pod-classes.ts';
import { countTopologyRules } from '../pods/relaxations.ts';
import { withDefaultSpread } from '../topology/default-spread.ts';
import { findRelevantLabelKeys, listPodsOnNodes, type PodOnNode } from '../topology/running-pod-counts.ts';
import { createTopology, type Topology } from '../topology/topology.ts';
import { type Assignment, type AssignmentRules, assign } from './assign.ts';
import { type BatchVariant, createOrder, createOriginalVariant } from './batch-variants.ts';
import { withOnDemandPods } from './on-demand-pods.ts';
import type { DomainCaps } from './place-next-pods.ts';
import { pinPodGroup } from './pod-groups.ts';
import { resolveVolumesAndDevices } from './resolve-volumes-and-devices.ts';

/** Restricts which nodes may take the pods of a batch. */
export interface AssignmentOptions extends Partial<Pick<AssignmentRules, 'mayReceive' | 'mayLaunch' | 'launchZone'>> {
  /** Names of nodes that are planned as if they were already removed. */
  readonly without?: readonly string[];
  /** True if the pods give up preferred spreads and preferred pod affinity from the start. */
  readonly ignoresPreferredTopology?: boolean;
}

/**
 * A batch whose pods have topology domains and existing nodes; the other pods are in pod groups for
 * new nodes.
 */
export interface AssignedBatch extends Assignment {
  readonly problem: PlacementProblem;
  readonly topology: Topology;
  /** Pods of the batch that run on a node now. */
  readonly moving: readonly PodOnNode[];
}

/** Restricts new nodes for the batch to a zone, if there is one. */
export function pinToZone(zone: string | undefined, assigned: AssignedBatch): AssignedBatch {
  if (zone === undefined) return assigned;
  const domains = new Map([[ZONE_LABEL, zone]]);
  const podGroups = assigned.podGroups.map((one) => pinPodGroup(one, domains, assigned.problem));
  return { ...assigned, podGroups };
}

export function assignBatch(problem: Problem, batch: readonly Pod[], options: AssignmentOptions = {}): AssignedBatch {
  const [classes, refused] = splitByComplexity(listPodClasses(problem, batch));
  const variant = createFirstVariant(classes, options);
  const assigned = assignVariant(problem, batch, variant, options, new Map());
  if (refused.length === 0) return assigned;
  const unassigned = new Map([...assigned.unassigned, ...countPodsOf(refused)]);
  return { ...assigned, unassigned };
}

export const createFirstVariant = (
  classes: readonly PodClass[],
  { ignoresPreferredTopology = false }: AssignmentOptions,
): BatchVariant => createOriginalVariant(ignoresPreferredTopology ? classes.map(withoutPreferredTopology) : classes);

/** Preferred node affinity is given up before some spreads: such pods keep all their preferences. */
function withoutPreferredTopology(cls: PodClass): PodClass {
  if (cls.spec.preferredNodeTerms.length > 0) return cls;
  const fewest = Math.min(...cls.relaxations.map(countTopologyRules));
  const relaxations = cls.relaxations.filter((one) => countTopologyRules(one) === fewest);
  return { ...cls, relaxations };
}

/** Separates the classes that are too complex to be planned. */
export function splitByComplexity(
  classes: readonly PodClass[],
): readonly [plannable: readonly PodClass[], refused: readonly PodClass[]] {
  if (classes.every(isPlannable)) return [classes, []];
  return [classes.filter(isPlannable), classes.filter((cls) => !isPlannable(cls))];
}

const isPlannable = ({ relaxations }: PodClass): boolean => relaxations.length > 0;

export const countPodsOf = (classes: readonly PodClass[]): ReadonlyMap<PodClass, number> =>
  new Map(classes.map((cls) => [cls, cls.pods.length]));

/**
 * Groups the pods of a batch. Classes that are too complex to be planned have no relaxations.
 *
 * @param restrict - restricts some pods further before they are grouped
 */
export function listPodClasses(
  problem: Problem,
  batch: readonly Pod[],
  restrict: (pods: readonly Pod[]) => readonly Pod[] = (pods) => pods,
): readonly PodClass[] {
  const hasDefault = problem.snapshot.settings?.defaultSpread?.length;
  const spread = hasDefault ? withDefaultSpread(batch, problem.snapshot) : batch;
  const resolved = resolveVolumesAndDevices(spread, problem.snapshot, problem.attachLimits);
  const policy = problem.snapshot.settings?.preferencePolicy;
  const shared = restrict(withOnDemandPods(resolved, problem));
  return groupPodClasses(shared, findRelevantLabelKeys(problem, shared), policy);
}

export function assignVariant(
  problem: Problem,
  batch: readonly Pod[],
  variant: BatchVariant,
  { without = [], mayReceive = () => true, mayLaunch = true, launchZone }: AssignmentOptions,
  caps: DomainCaps,
): AssignedBatch {
  const { classes } = variant;
  const compareOrder = createOrder(variant);
  const staying = withoutNodes(problem, without);
  const devices = createBatchDeviceTracker(problem, classes, batch);
  const reduced = devices ? { ...staying, devices } : staying;
  const moving = listPodsOnNodes(batch, problem);
  const topology = createTopology(problem, classes, moving);
  const assignment = assign(reduced, classes, topology, {
    mayReceive,
    mayLaunch,
    launchZone,
    caps,
    compareOrder,
  });
  return { ...assignment, problem: reduced, topology, moving };
}
