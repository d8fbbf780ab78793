import { HASH_VERSION, isRequirementsDrift, isStaticDrift } from '../../api/stored-objects/static-drift.ts';
import { formatShortDuration } from '../../model/duration.ts';
import type { Labels } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { DriftReason, NodeClassState } from '../../model/nodes/drift.ts';
import { computeExpiry } from '../../model/nodes/expiry.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { formatOffering, type InstanceType, type Offering } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { type EpochMs, formatInstant, HOUR_MS } from '../../model/time.ts';
import { findNodeImage } from '../rollout/image-version.ts';
import { type DaemonShortage, describeShortage } from './daemon-shortage.ts';

/** The specification that a claim is compared with. */
export interface DriftBaseline {
  readonly pool: NodePool;
  /** `undefined` if the class is unknown or not managed by us; class checks are then skipped. */
  readonly nodeClass?: NodeClassState;
  /** Types that the pool may run, as resolved by its class. */
  readonly instanceTypes: readonly InstanceType[];
  readonly offerings: readonly Offering[];
  /** By Node: the DaemonSet that it has no room for. `undefined` if none is short of room. */
  readonly daemonShortages?: ReadonlyMap<string, DaemonShortage>;
  readonly now: EpochMs;
}

export type DriftVerdict =
  | { readonly outcome: 'drifted'; readonly reason: DriftReason; readonly text: string }
  | { readonly outcome: 'in-line' }
  /** A check had no data; the previous result stays valid. */
  | { readonly outcome: 'unknown' };

/** A new type may reach EC2's answers before our catalogue. */
const TYPE_KNOWN_AFTER_MS = HOUR_MS;

type DriftCheck = (
  claim: LaunchedClaim,
  baseline: DriftBaseline,
) => { readonly reason: DriftReason; readonly text: string } | 'unknown' | undefined;
type LaunchedClaim = NodeClaim & { readonly launch: Launch };

/**
 * Compares a claim with its pool and class and reports the first difference. Wider requirements,
 * budgets, limits and weights are not drift.
 *
 * @see Karpenter, drift: the order of the checks
 */
export function findDrift(claim: NodeClaim, baseline: DriftBaseline): DriftVerdict {
  if (!isLaunched(claim)) return { outcome: 'in-line' };
  let hasUnknown = false;
  for (const check of CHECKS) {
    const result = check(claim, baseline);
    if (result === 'unknown') hasUnknown = true;
    else if (result) return { outcome: 'drifted', ...result };
  }
  return { outcome: hasUnknown ? 'unknown' : 'in-line' };
}

const isLaunched = (claim: NodeClaim): claim is LaunchedClaim => claim.launch !== undefined;

const checkTemplate: DriftCheck = ({ poolHash, poolHashVersion }, { pool }) => {
  const child = {
    ...(poolHash && { hash: poolHash }),
    version: poolHashVersion ?? DEFAULT_HASH_VERSION,
  };
  const isDrift = isStaticDrift({ hash: pool.hash, version: HASH_VERSION }, child);
  if (!isDrift) return undefined;
  return { reason: 'NodePoolDrifted', text: `the template of NodePool ${pool.name} has changed` };
};

/** Hash version of records that have none. */
export const DEFAULT_HASH_VERSION = 's1';

const checkRequirements: DriftCheck = (claim, { pool }) => {
  const labels = labelsOf(claim);
  if (!isRequirementsDrift(pool.requirements, labels)) return undefined;
  const unmet = pool.requirements.find((candidate) => isRequirementsDrift([candidate], labels));
  const { key, operator, values = [] } = unmet ?? { key: 'requirements', operator: '' };
  const expected = [key, operator, values.join(', ')].filter((part) => part !== '').join(' ');
  const text = `NodePool ${pool.name} asks for ${expected}, it has ${ownValue(labels, key) ?? 'none'}`;
  return { reason: 'RequirementsDrifted', text };
};

const checkInstanceType: DriftCheck = ({ launch, createdAt }, { instanceTypes, offerings, now }) => {
  // An empty list means unknown, never "none".
  if (instanceTypes.length === 0 || offerings.length === 0) return 'unknown';
  if (now <= createdAt + TYPE_KNOWN_AFTER_MS) return undefined;
  const isKnown = instanceTypes.some(({ name }) => name === launch.instanceType);
  if (isKnown && isOffered(launch, formatOfferings(offerings))) return undefined;
  const text = `${formatOffering(launch)} is offered no more`;
  return { reason: 'InstanceTypeNotFound', text };
};

/** When a reservation ends, its instances continue as on-demand. */
const isOffered = (launch: Launch, offered: ReadonlySet<string>): boolean =>
  offered.has(formatOffering(launch)) ||
  (launch.capacityType === 'reserved' && offered.has(formatOffering({ ...launch, capacityType: 'on-demand' })));

// Thousands of claims share one offerings list.
const offeredOf = new WeakMap<readonly Offering[], ReadonlySet<string>>();

function formatOfferings(offerings: readonly Offering[]): ReadonlySet<string> {
  return getOrCreate(offeredOf, offerings, () => new Set(offerings.map(formatOffering)));
}

const checkClassHash: DriftCheck = ({ launch }, { nodeClass }) => {
  if (!nodeClass) return undefined;
  const { nodeClassHash: hash, nodeClassHashVersion: version } = launch;
  const child = { ...(hash !== undefined && { hash }), ...(version !== undefined && { version }) };
  if (!isStaticDrift({ hash: nodeClass.hash, version: HASH_VERSION }, child)) return undefined;
  return { reason: 'NodeClassDrift', text: `EC2NodeClass ${nodeClass.name} has changed` };
};

const checkImage: DriftCheck = (claim, { nodeClass, instanceTypes }) => {
  if (!nodeClass) return undefined;
  const { instanceType: name, imageId } = claim.launch;
  if (imageId === undefined || nodeClass.images.length === 0) return 'unknown';
  const labels = instanceTypes.find((type) => type.name === name)?.labels;
  // A type for which the class has no image any more is no longer among the pool's types.
  if (!labels && nodeClass.images.some(({ id }) => id === imageId)) return 'unknown';
  const expected = labels && findNodeImage(nodeClass, labels);
  if (expected?.id === imageId) return undefined;
  const text = `image is ${imageId}, EC2NodeClass ${nodeClass.name} has ${expected?.id ?? 'none'} for ${name}`;
  return { reason: 'AMIDrift', text };
};

const checkSecurityGroups: DriftCheck = ({ launch }, { nodeClass }) => {
  if (!nodeClass) return undefined;
  const { securityGroupIds } = launch;
  if (nodeClass.securityGroups.length === 0 || !securityGroupIds) return 'unknown';
  const expected = nodeClass.securityGroups.map(({ id }) => id);
  if (formatIdSet(expected) === formatIdSet(securityGroupIds)) return undefined;
  const text = `security groups are ${formatIdSet(securityGroupIds)}, EC2NodeClass ${nodeClass.name} has ${formatIdSet(expected)}`;
  return { reason: 'SecurityGroupDrift', text };
};

const formatIdSet = (ids: readonly string[]): string => [...new Set(ids)].toSorted().join(', ');

const checkSubnet: DriftCheck = ({ launch: { subnetId } }, { nodeClass }) => {
  if (!nodeClass) return undefined;
  if (nodeClass.subnets.length === 0 || subnetId === undefined) return 'unknown';
  if (nodeClass.subnets.some(({ id }) => id === subnetId)) return undefined;
  const text = `${subnetId} is no subnet of EC2NodeClass ${nodeClass.name} any more`;
  return { reason: 'SubnetDrift', text };
};

const RESERVATION_LABEL = 'karpenter.k8s.aws/capacity-reservation-id';
const PLACEMENT_GROUP_LABEL = 'karpenter.k8s.aws/placement-group-id';

const checkReservation: DriftCheck = (claim, { nodeClass }) => {
  const id = labelsOf(claim)[RESERVATION_LABEL];
  if (!nodeClass || claim.launch.capacityType !== 'reserved' || id === undefined) return undefined;
  if (!nodeClass.reservations) return 'unknown';
  if (nodeClass.reservations.some((candidate) => candidate.id === id)) return undefined;
  const text = `${id} is no reservation of EC2NodeClass ${nodeClass.name} any more`;
  return { reason: 'CapacityReservationDrift', text };
};

const checkPlacementGroup: DriftCheck = (claim, { nodeClass }) => {
  if (!nodeClass) return undefined;
  const present = labelsOf(claim)[PLACEMENT_GROUP_LABEL];
  const expected = nodeClass.placementGroup?.id;
  if (present === expected) return undefined;
  const text = `placement group is ${present ?? 'none'}, EC2NodeClass ${nodeClass.name} has ${expected ?? 'none'}`;
  return { reason: 'PlacementGroupDrift', text };
};

const checkExpiry: DriftCheck = (claim, { pool, now }) => {
  if (!pool.expiresVoluntarily || now < (computeExpiry(claim) ?? Infinity)) return undefined;
  const age = formatShortDuration(claim.expireAfterMs ?? 0);
  return { reason: 'Expired', text: `it has reached its expireAfter of ${age}` };
};

const checkRebalance: DriftCheck = ({ rebalanceRecommendedAt: at }) =>
  at === undefined
    ? undefined
    : {
        reason: 'RebalanceRecommended',
        text: `EC2 has recommended to leave its spot instance since ${formatInstant(at)}`,
      };

/** Static pools keep their types, so that a new node would have no more room if pods return to it. */
const checkDaemonSets: DriftCheck = ({ nodeName = '' }, { pool, daemonShortages }) => {
  const shortage = pool.replicas === undefined ? daemonShortages?.get(nodeName) : undefined;
  return shortage && { reason: 'NoRoomForDaemonSet', text: describeShortage(shortage) };
};

const CHECKS: readonly DriftCheck[] = [
  checkTemplate,
  checkRequirements,
  checkInstanceType,
  checkClassHash,
  checkImage,
  checkSecurityGroups,
  checkSubnet,
  checkReservation,
  checkPlacementGroup,
  checkExpiry,
  checkRebalance,
  checkDaemonSets,
];

const labelsOf = ({ labels, launch }: LaunchedClaim): Labels => ({ ...launch.labels, ...labels });
