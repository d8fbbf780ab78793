import type { PriceOf } from '../../console/views/facts.ts';
import { describeClaim } from '../../shared/controllers/node-claim/adoption.ts';
import { toSyntheticPool } from '../../shared/controllers/node-claim/standalone-claim.ts';
import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../shared/model/labels.ts';
import { memoize } from '../../shared/model/memo.ts';
import { DRIFT_REASONS, type Drift } from '../../shared/model/nodes/drift.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { Launch, NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../shared/model/nodes/node-claim-object.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { CapacityType, InstanceType, Offering } from '../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import type { Catalogue } from '../../shared/ports/cloud.ts';
import type { ClusterObjects } from '../../shared/ports/cluster.ts';

// Plans cache by identity, so unchanged objects give the same claim.
const cache = new WeakMap<NodeClaimObject, { readonly key: readonly unknown[]; readonly claim: NodeClaim }>();

/**
 * Reads NodeClaims as their objects and Nodes show them, whether Mortise or Karpenter wrote them. If there are no
 * objects, or they may not be read, the nodes of NodePools stand for them.
 */
export function readLiveClaims(
  {
    nodeClaims,
    nodes,
    pools,
    lastPodEventAt,
  }: Pick<ClusterObjects, 'nodeClaims' | 'nodes' | 'pools' | 'lastPodEventAt'>,
  catalogue: Catalogue,
  priceOf = findIn(catalogue),
): readonly NodeClaim[] {
  const byProviderId = new Map(nodes.map((node) => [node.providerId, node]));
  const byPool = new Map(pools.map((pool) => [pool.name, pool]));
  const findPool = ({ labels }: Pick<Node, 'labels'>) => byPool.get(labels[NODEPOOL_LABEL] ?? '');
  const derive = (node: Node): readonly NodeClaimObject[] => {
    const pool = node.deletionAt === undefined ? findPool(node) : undefined;
    return pool && node.providerId !== undefined ? [deriveObject(pool)(node)] : [];
  };
  return (nodeClaims.length > 0 ? nodeClaims : nodes.flatMap(derive)).map((object) => {
    const node = object.providerId === undefined ? undefined : byProviderId.get(object.providerId);
    const pool = findPool(object);
    const types = pool && ownValue(catalogue.instanceTypes, pool.name);
    const lastPodEvent = node && ownValue(lastPodEventAt, node.name);
    const key = [node, pool, types, catalogue.offerings, lastPodEvent];
    const cached = cache.get(object);
    if (cached?.key.every((part, index) => part === key[index])) return cached.claim;
    const claim = toClaim(object, { node, pool, types, priceOf, lastPodEvent });
    cache.set(object, { key, claim });
    return claim;
  });
}

const findIn = ({ offerings, unpriced }: Catalogue): PriceOf =>
  unpriced ? () => undefined : createPriceFinder(offerings);

/** An offering that EC2 does not sell any more has the price of another zone. */
export const createPriceFinder =
  (offerings: readonly Offering[]): PriceOf =>
  ({ instanceType, zone, capacityType }) => {
    if (capacityType === 'reserved') return 0;
    const similar = offerings.filter((one) => one.instanceType === instanceType && one.capacityType === capacityType);
    return (similar.find((one) => one.zone === zone) ?? similar[0])?.hourlyUsd;
  };

/** The NodeClaim as its pool would have written it. */
const deriveObject = memoize((pool: NodePool) =>
  memoize((node: Node): NodeClaimObject => {
    const { name, uid, createdAt, labels, annotations, providerId, capacity, allocatable } = node;
    const { nodeClass, requirements, taints, startupTaints, expireAfterMs, terminationGracePeriodMs } = pool;
    return {
      ...{ name, uid, createdAt, labels, annotations, nodeClass, requirements, taints, startupTaints },
      ...{ owners: [], finalizers: [], requests: {}, nodeName: name, capacity, allocatable, conditions: [] },
      ...withoutUndefined({ providerId, expireAfterMs, terminationGracePeriodMs }),
    };
  }),
);

interface ClaimFacts {
  readonly node: Node | undefined;
  readonly pool: NodePool | undefined;
  readonly types: readonly InstanceType[] | undefined;
  readonly priceOf: PriceOf;
  readonly lastPodEvent: EpochMs | undefined;
}

function toClaim(object: NodeClaimObject, facts: ClaimFacts): NodeClaim {
  const { node, pool, lastPodEvent } = facts;
  const { deletionAt } = object;
  const reachedAt = (type: string): EpochMs | undefined =>
    object.conditions.find((one) => one.type === type && one.status === 'True')?.since;
  const registeredAt =
    reachedAt('Registered') ?? (node?.labels[REGISTERED_LABEL] === 'true' ? node.createdAt : undefined);
  const initializedAt =
    reachedAt('Initialized') ?? (node?.labels[INITIALIZED_LABEL] === 'true' ? registeredAt : undefined);
  const launch = toLaunch(object, facts, reachedAt('Launched') ?? object.createdAt);
  const lastPodEventAt = latest(lastPodEvent, object.lastPodEventAt);
  const fields = {
    nodeName: node?.name ?? object.nodeName,
    ...{ launch, registeredAt, initializedAt, lastPodEventAt },
    consolidatableSince: reachedAt('Consolidatable'),
    deletingAt: deletionAt,
    drainingAt: deletionAt,
    drainedAt: deletionAt === undefined ? undefined : reachedAt('Drained'),
    terminatingAt: reachedAt('InstanceTerminating'),
    drainDeadline: object.deadline,
    drift: readDrift(object),
  };
  return {
    name: object.name,
    uid: object.uid,
    pool: pool?.name ?? object.labels[NODEPOOL_LABEL] ?? '',
    ...(pool && { poolUid: pool.uid }),
    nodeClass: object.nodeClass,
    createdAt: object.createdAt,
    labels: { ...launch?.labels, ...object.labels },
    ...describeClaim(
      { object, node, pool: pool ?? toSyntheticPool(object), isInitialized: initializedAt !== undefined },
      object.createdAt,
    ),
    instanceTypes: launch ? [launch.instanceType] : [],
    decision: '',
    ...withoutUndefined(fields),
  };
}

/** Reasons that only Karpenter has stand for a change of the NodePool. */
function readDrift({ conditions, createdAt }: NodeClaimObject): Drift | undefined {
  const drifted = conditions.find(({ type, status }) => type === 'Drifted' && status === 'True');
  if (!drifted) return undefined;
  const { reason, message, since = createdAt } = drifted;
  const own = DRIFT_REASONS.find((one) => one === reason);
  return { reason: own ?? 'NodePoolDrifted', text: message, since };
}

function toLaunch(
  { providerId, labels, imageId, capacity, allocatable }: NodeClaimObject,
  { node, types, priceOf }: ClaimFacts,
  at: EpochMs,
): Launch | undefined {
  const all = { ...labels, ...node?.labels };
  const instanceType = all[INSTANCE_TYPE_LABEL];
  const zone = all[ZONE_LABEL];
  if (providerId === undefined || instanceType === undefined || zone === undefined) return undefined;
  const capacityType = toCapacityType(all[CAPACITY_TYPE_LABEL]);
  const type = types?.find(({ name }) => name === instanceType);
  return {
    ...{ providerId, instanceType, zone, capacityType, at },
    hourlyUsd: priceOf({ instanceType, zone, capacityType }) ?? 0,
    ...(imageId !== undefined && { imageId }),
    labels: { ...type?.labels, ...labels },
    capacity: { ...type?.capacity, ...capacity },
    allocatable: { ...type?.allocatable, ...allocatable },
  };
}

const toCapacityType = (written: string | undefined): CapacityType =>
  written === 'spot' || written === 'reserved' ? written : 'on-demand';

const latest = (a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
