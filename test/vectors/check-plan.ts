import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { NODEPOOL_LABEL } from '../../shared/model/labels.ts';
import type { ProvisioningPlan } from '../../shared/model/plans.ts';
import { isProvisionable } from '../../shared/model/pods/disruption-pods.ts';
import { type Pod, podKey } from '../../shared/model/pods/pod.ts';
import { isMovedFromNode } from '../../shared/model/pods/restarts.ts';
import { findAntiAffinityViolations } from './checker/anti-affinity-rules.ts';
import { findBindingViolations } from './checker/binding-order.ts';
import { findClaimViolations, findTotalViolations } from './checker/claim-rules.ts';
import { withNewestDaemonPods } from './checker/daemon-pods.ts';
import { findDeviceViolations } from './checker/device-rules.ts';
import { computeFinalNodes, type FinalNode } from './checker/final-nodes.ts';
import { findLimitViolations } from './checker/limit-rules.ts';
import { applyNodeOverlays } from './checker/node-overlays.ts';
import { findNodeViolations } from './checker/node-rules.ts';
import { findReservationViolations } from './checker/reservation-rules.ts';
import { findVolumeViolations } from './checker/volume-rules.ts';
import { findWeightViolations } from './checker/weight-rules.ts';

/**
 * Lists everything that is wrong with a plan; empty for a valid plan. The checker shares no code
 * with the planner: it checks the nodes as they will be, in every variant that a launch may
 * produce.
 */
export function checkPlan(observed: ClusterSnapshot, plan: ProvisioningPlan): string[] {
  const snapshot = withNewestDaemonPods(applyNodeOverlays(observed));
  const nodes = computeFinalNodes(snapshot, plan);
  const objections = [
    ...findBookkeepingViolations(snapshot, plan, nodes),
    ...findTotalViolations(plan),
    ...nodes.flatMap((node) => findClaimViolations(snapshot, node)),
    ...nodes.flatMap((node) => findNodeViolations(node, snapshot.daemonSets)),
    ...findLimitViolations(snapshot, nodes),
    ...findBindingViolations(snapshot, nodes),
    ...findAntiAffinityViolations(snapshot, nodes),
    ...findWeightViolations(snapshot, nodes),
    ...findVolumeViolations(snapshot, nodes),
    ...findDeviceViolations(snapshot, nodes),
    ...findReservationViolations(snapshot, nodes),
  ];
  return [...new Set(objections)];
}

/**
 * Finds pods of the batch that are not placed or refused exactly once, and other pods that the plan
 * touches.
 */
function findBookkeepingViolations(
  snapshot: ClusterSnapshot,
  { claims, placements, unplaced }: ProvisioningPlan,
  nodes: readonly FinalNode[],
): string[] {
  const { pods } = snapshot;
  const leaving = new Set(nodes.filter((node) => node.leaving).map(({ name }) => name));
  const batch = pods.filter(
    (pod) =>
      (isProvisionable(pod) && !refusesPools(pod)) ||
      (pod.nodeName !== undefined && leaving.has(pod.nodeName) && isMovedFromNode(pod, snapshot)),
  );
  const expected = new Set(batch.map(podKey));
  const named = Map.groupBy(
    [...claims, ...placements, ...unplaced].flatMap((part) => part.pods),
    (key) => key,
  );
  const targets = new Set(nodes.map(({ name }) => name));
  return [
    ...[...expected].filter((key) => !named.has(key)).map((key) => `${key} is forgotten`),
    ...[...named].filter(([, at]) => at.length > 1).map(([key]) => `${key} is named twice`),
    ...[...named.keys()].filter((key) => !expected.has(key)).map((key) => `${key} was not asked about`),
    ...placements.filter(({ target }) => !targets.has(target)).map(({ target }) => `${target} is no node`),
  ];
}

/** Pods that require nodes without a NodePool are not planned. */
const refusesPools = ({ spec }: Pod): boolean =>
  [...spec.requiredNodeTerms.slice(0, 1), ...spec.preferredNodeTerms.map(({ term }) => term)]
    .flat()
    .some(({ key, operator }) => key === NODEPOOL_LABEL && operator === 'DoesNotExist');

/** Counts the pods that a plan places. */
export const countPlacedPods = ({ claims, placements }: ProvisioningPlan): number =>
  [...claims, ...placements].reduce((total, { pods }) => total + pods.length, 0);
