import { WELL_KNOWN_LABELS } from '../model/labels.ts';
import type { NodeClaim } from '../model/nodes/node-claim.ts';
import { type Pod, type PodSpec, toOwnerUid } from '../model/pods/pod.ts';
import { findConflict } from '../model/requirements/requirements.ts';
import { findUntoleratedTaint } from '../model/requirements/taints.ts';
import { type EpochMs, MINUTE_MS } from '../model/time.ts';
import { countFits, hasRoom, listRequestedColumns, toVector } from './data-structures/resource-vectors.ts';
import { admits, type ExistingNode, findPossibleRequirements } from './input/existing-nodes.ts';
import { listPodsToPlace } from './input/plan-batch.ts';
import type { Problem } from './input/problem.ts';
import { listTypesOfClaim } from './instance-types/type-index.ts';
import { listAnticipatedPods } from './pods/anticipated-pods.ts';
import { listFullyRelaxed } from './pods/relaxations.ts';

/**
 * A launch takes seconds. One that takes longer is not waited for: its pods count as placed on the
 * claim, and nothing is moved there.
 */
const MAX_WAIT_MS = 2 * MINUTE_MS;

/**
 * A claim without an instance yet. Its type, and whether it gets one, is unknown: a move that it
 * could affect is decided after its launch.
 */
export interface OpenLaunch {
  readonly claim: NodeClaim;
  readonly node: ExistingNode;
  /** Pods that wait, of the owners that it is launched for. */
  readonly expectedPods: readonly Pod[];
}

/** Lists the claims of the snapshot that are being launched. */
export function listOpenLaunches(problem: Problem): readonly OpenLaunch[] {
  const { takenAt } = problem.snapshot;
  const nodes = problem.existingNodes.filter(({ claim }) => claim && isBeingLaunched(claim, takenAt));
  if (nodes.length === 0) return [];
  const batch = [...listPodsToPlace(problem), ...listAnticipatedPods(problem.snapshot)];
  const byOwner = Map.groupBy(batch, toOwnerUid);
  return nodes.flatMap((node) => {
    const { claim } = node;
    if (!claim) return [];
    const owners = Object.keys(claim.expects ?? {});
    return [{ claim, node, expectedPods: owners.flatMap((owner) => byOwner.get(owner) ?? []) }];
  });
}

const isBeingLaunched = ({ launch, deletingAt, terminatedAt, createdAt }: NodeClaim, now: EpochMs): boolean =>
  !launch && deletingAt === undefined && terminatedAt === undefined && now - createdAt <= MAX_WAIT_MS;

/** True if one of the pods could run on the node that the claim will become. */
export const mayReceiveAny = (launch: OpenLaunch, pods: readonly Pod[], problem: Problem): boolean =>
  listSpecs(pods).some((spec) => mayReceive(launch, spec, problem));

function mayReceive({ claim, node }: OpenLaunch, spec: PodSpec, problem: Problem): boolean {
  const { columns, typeIndex, snapshot } = problem;
  const possible = findPossibleRequirements(claim);
  const isAdmitted = listFullyRelaxed(spec).some(
    ({ tolerations, requirements }) =>
      !findUntoleratedTaint(node.taints, tolerations) &&
      findConflict(possible, requirements, WELL_KNOWN_LABELS) === undefined,
  );
  if (!isAdmitted) return false;
  const request = toVector(columns, spec.requests);
  const requestedColumns = listRequestedColumns(request);
  return listTypesOfClaim(claim, snapshot.instanceTypes, typeIndex).some(({ allocatable }) =>
    hasRoom(toVector(columns, allocatable), request, requestedColumns),
  );
}

/** True if one of the pods that the claim is launched for could run on the node instead. */
export const couldHoldExpected = (node: ExistingNode, { expectedPods }: OpenLaunch, { columns }: Problem): boolean =>
  listSpecs(expectedPods).some(
    (spec) =>
      countFits(toVector(columns, spec.requests), node.free) > 0 &&
      listFullyRelaxed(spec).some((relaxation) => admits(node, relaxation)),
  );

/** Equal pods share their spec. */
const listSpecs = (pods: readonly Pod[]): readonly PodSpec[] => [...new Set(pods.map(({ spec }) => spec))];
