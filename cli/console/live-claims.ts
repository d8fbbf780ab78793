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
import { DRIFT_REASONS, type Drift } from '../../shared/model/nodes/drift.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { Launch, NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../shared/model/nodes/node-claim-object.ts';
import type { NodePool } from '../../shared/model/nodes/node-pool.ts';
import type { CapacityType } from '../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import type { ClusterObjects } from '../../shared/ports/cluster.ts';
import type { LiveCatalogue } from './live-catalogue.ts';

/**
 * Reads NodeClaims as their objects and Nodes show them, whether Mortise or Karpenter wrote them.
 * An unchanged object gives the same claim, because plans cache by identity.
 */
export function createClaimReader(): (
  objects: Pick<ClusterObjects, 'nodeClaims' | 'nodes' | 'pools' | 'lastPodEventAt'>,
  catalogue: LiveCatalogue,
) => readonly NodeClaim[] {
  const cache = new WeakMap<NodeClaimObject, { readonly key: readonly unknown[]; claim: NodeClaim }>();

  return ({ nodeClaims, nodes, pools, lastPodEventAt = {} }, catalogue) => {
    const byProviderId = new Map(nodes.map((node) => [node.providerId, node]));
    const byPool = new Map(pools.map((pool) => [pool.name, pool]));
    return nodeClaims.map((object) => {
      const node = object.providerId === undefined ? undefined : byProviderId.get(object.providerId);
      const pool = byPool.get(object.labels[NODEPOOL_LABEL] ?? '');
      const lastPodEvent = node && ownValue(lastPodEventAt, node.name);
      const key = [node, pool, catalogue, lastPodEvent];
      const cached = cache.get(object);
      if (cached?.key.every((part, index) => part === key[index])) return cached.claim;
      const claim = toClaim(object, { node, pool, catalogue, lastPodEvent });
      cache.set(object, { key, claim });
      return claim;
    });
  };
}

interface ClaimFacts {
  readonly node: Node | undefined;
  readonly pool: NodePool | undefined;
  readonly catalogue: LiveCatalogue;
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
  { node, pool, catalogue }: ClaimFacts,
  at: EpochMs,
): Launch | undefined {
  const all = { ...labels, ...node?.labels };
  const instanceType = all[INSTANCE_TYPE_LABEL];
  const zone = all[ZONE_LABEL];
  if (providerId === undefined || instanceType === undefined || zone === undefined) return undefined;
  const capacityType = toCapacityType(all[CAPACITY_TYPE_LABEL]);
  const type = pool && catalogue.findType(pool, instanceType);
  return {
    ...{ providerId, instanceType, zone, capacityType, at },
    hourlyUsd: catalogue.priceOf({ instanceType, zone, capacityType }) ?? 0,
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
