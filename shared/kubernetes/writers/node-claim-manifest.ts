import { formatShortDuration } from '../../model/duration.ts';
import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INSTANCE_PROFILE_ANNOTATION,
  INSTANCE_TYPE_LABEL,
  type Labels,
  NODECLASS_HASH_ANNOTATION,
  NODECLASS_HASH_VERSION_ANNOTATION,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  NODEPOOL_LABEL,
  PARTITION_LABEL,
  REBOOT_DRAIN_ANNOTATION,
  REBOOT_FROM_ANNOTATION,
  RESERVATION_LABELS,
} from '../../model/labels.ts';
import { TERMINATION_FINALIZER } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { findReboot } from '../../model/nodes/reboot.ts';
import { ownValue } from '../../model/own-value.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { formatInstant } from '../../model/time.ts';
import { formatQuantities } from './format-quantities.ts';
import { toConditions } from './node-claim-conditions.ts';

export const DEADLINE_ANNOTATION = 'karpenter.sh/nodeclaim-termination-timestamp';
/**
 * The record as a new NodeClaim, without its status.
 *
 * @param owner - reference to its NodePool; `undefined` for a claim that is only deleted explicitly
 */
export function toNodeClaimManifest(claim: NodeClaim, owner?: object): object {
  const { expireAfterMs, terminationGracePeriodMs } = claim;
  return {
    ...TYPE,
    metadata: {
      name: claim.name,
      labels: toLabels(claim),
      annotations: { ...claim.annotations, ...toAnnotations(claim) },
      finalizers: [TERMINATION_FINALIZER],
      ...(owner && { ownerReferences: [owner] }),
    },
    // The API forbids changes of a spec, so nothing in it may depend on the progress of the claim.
    spec: {
      nodeClassRef: { ...claim.nodeClass },
      requirements: toRequirementSpecs(claim),
      resources: { requests: formatQuantities(claim.requests) },
      ...(claim.taints.length > 0 && { taints: claim.taints }),
      ...(claim.startupTaints.length > 0 && { startupTaints: claim.startupTaints }),
      expireAfter: expireAfterMs === undefined ? 'Never' : formatShortDuration(expireAfterMs),
      ...(terminationGracePeriodMs !== undefined && {
        terminationGracePeriod: formatShortDuration(terminationGracePeriodMs),
      }),
    },
  };
}

/** A partial NodeClaim for server-side apply. */
export interface ClaimPatch {
  readonly metadata: object;
  readonly status?: object;
}

export interface LiveClaimMetadata {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
}

/**
 * Our part of an object's metadata, for server-side apply. Values that other writers set under the
 * same keys stay; missing values of ours are restored.
 *
 * @returns `undefined` if nothing is missing
 */
export function toMetadataPatch(claim: NodeClaim, live: LiveClaimMetadata): ClaimPatch | undefined {
  const labels = { ...preferLive(toLabels(claim), live.labels), ...toInstanceLabels(claim) };
  const annotations = {
    ...preferLive(toAnnotations(claim), live.annotations),
    ...toHashAnnotations(claim),
    ...toDeadlineAnnotation(claim, live),
    ...toRebootAnnotations(claim),
  };
  // A finalizer cannot be added to an object that is being deleted, and an apply without it would
  // remove it.
  const isHeld = live.finalizers.includes(TERMINATION_FINALIZER);
  const shouldHold = isHeld || !live.isDeleting;

  const isUpToDate =
    isHeld === shouldHold && includesAll(labels, live.labels) && includesAll(annotations, live.annotations);
  if (isUpToDate) return undefined;
  return {
    ...TYPE,
    metadata: {
      name: claim.name,
      labels,
      annotations,
      ...(shouldHold && { finalizers: [TERMINATION_FINALIZER] }),
    },
  };
}

/** The status alone, for the status subresource. */
export function toNodeClaimStatus(claim: NodeClaim, generation: number): ClaimPatch {
  const { launch, nodeName, lastPodEventAt } = claim;
  return {
    ...TYPE,
    metadata: { name: claim.name },
    status: {
      ...(nodeName !== undefined && { nodeName }),
      ...(launch && {
        providerID: launch.providerId,
        ...(launch.imageId !== undefined && { imageID: launch.imageId }),
        capacity: formatQuantities(launch.capacity),
        allocatable: formatQuantities(launch.allocatable),
      }),
      ...(lastPodEventAt !== undefined && { lastPodEventTime: formatInstant(lastPodEventAt) }),
      conditions: toConditions(claim, generation),
    },
  };
}

const TYPE = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim' } as const;

const toLabels = ({ launch, labels, pool }: NodeClaim): Labels => ({
  ...launch?.labels,
  ...labels,
  ...(pool !== '' && { [NODEPOOL_LABEL]: pool }),
});

const toAnnotations = (claim: NodeClaim): Labels => ({
  ...toHashAnnotations(claim),
  ...(claim.drainDeadline !== undefined && { [DEADLINE_ANNOTATION]: formatInstant(claim.drainDeadline) }),
});

/**
 * These labels follow the record instead of the object: a reservation may have ended, and EC2 may
 * have reported the partition.
 */
const toInstanceLabels = ({ launch }: NodeClaim): Labels => {
  const partition = launch?.labels[PARTITION_LABEL];
  return {
    ...(launch && { [CAPACITY_TYPE_LABEL]: launch.capacityType }),
    ...(partition && { [PARTITION_LABEL]: partition }),
  };
};

/**
 * Finds labels of a reservation that the instance has left. An apply does not remove what a create
 * wrote.
 */
export function findStaleReservationLabels(claim: NodeClaim, live: Labels): readonly string[] {
  if (!claim.launch) return [];
  const ours = toLabels(claim);
  return RESERVATION_LABELS.filter((key) => key in live && !(key in ours));
}

/** Hashes follow the record: a newer release computes them differently. */
function toHashAnnotations({ poolHash, poolHashVersion, launch, isTagged }: NodeClaim): Labels {
  const { nodeClassHash, nodeClassHashVersion, instanceProfile } = launch ?? {};
  return {
    ...(poolHash !== '' && {
      [NODEPOOL_HASH_ANNOTATION]: poolHash,
      [NODEPOOL_HASH_VERSION_ANNOTATION]: poolHashVersion ?? NODEPOOL_HASH_VERSION,
    }),
    ...(nodeClassHash === undefined || nodeClassHashVersion === undefined
      ? {}
      : {
          [NODECLASS_HASH_ANNOTATION]: nodeClassHash,
          [NODECLASS_HASH_VERSION_ANNOTATION]: nodeClassHashVersion,
        }),
    ...(instanceProfile !== undefined && { [INSTANCE_PROFILE_ANNOTATION]: instanceProfile }),
    ...(isTagged && {
      'karpenter.k8s.aws/tagged': 'true',
      'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true',
    }),
  };
}

/** Keeps the earlier of the two deadlines. RFC 3339 texts in UTC sort like the times. */
function toDeadlineAnnotation(claim: NodeClaim, { annotations }: LiveClaimMetadata): Labels {
  const ours = toAnnotations(claim)[DEADLINE_ANNOTATION];
  if (ours === undefined) return {};
  const theirs = annotations[DEADLINE_ANNOTATION] ?? ours;
  return { [DEADLINE_ANNOTATION]: theirs < ours ? theirs : ours };
}

/** Karpenter continues a reboot from these. */
function toRebootAnnotations(claim: NodeClaim): Labels {
  const { fromBoot, drainMs } = findReboot(claim) ?? {};
  return {
    ...(fromBoot && { [REBOOT_FROM_ANNOTATION]: fromBoot.id }),
    ...(drainMs !== undefined && { [REBOOT_DRAIN_ANNOTATION]: formatShortDuration(drainMs) }),
  };
}

/** Finds annotations of a reboot that is over: a later one would count as done. */
export function findStaleRebootAnnotations(claim: NodeClaim, live: Labels): readonly string[] {
  const ours = toRebootAnnotations(claim);
  return [REBOOT_FROM_ANNOTATION, REBOOT_DRAIN_ANNOTATION].filter((key) => key in live && !(key in ours));
}

const preferLive = (ours: Labels, live: Labels): Labels =>
  Object.fromEntries(Object.entries(ours).map(([key, value]) => [key, ownValue(live, key) ?? value]));

const includesAll = (some: Labels, all: Labels): boolean =>
  Object.entries(some).every(([key, value]) => ownValue(all, key) === value);

/**
 * The instance types become a requirement; a hostname requirement belongs to nodes, and the API
 * refuses it.
 */
function toRequirementSpecs({ requirements, instanceTypes }: NodeClaim): readonly RequirementSpec[] {
  const ofTypes = requirements.find(({ key }) => key === INSTANCE_TYPE_LABEL);
  const minValues = ofTypes?.minValues;
  return [
    ...requirements.filter(({ key }) => key !== INSTANCE_TYPE_LABEL && key !== HOSTNAME_LABEL),
    {
      key: INSTANCE_TYPE_LABEL,
      operator: 'In',
      values: instanceTypes,
      // The API refuses fewer values than `minValues`.
      ...(minValues !== undefined && minValues <= instanceTypes.length && { minValues }),
    },
  ];
}
