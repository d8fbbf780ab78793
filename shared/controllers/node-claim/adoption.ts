import type { Offering } from '../../model/instance-type.ts';
import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../model/labels.ts';
import type { Node } from '../../model/node.ts';
import type { Launch, NodeClaim } from '../../model/node-claim.ts';
import type { NodeClaimObject } from '../../model/node-claim-object.ts';
import type { NodePool } from '../../model/node-pool.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Catalogue, Instance, InstanceFacts } from '../../ports/cloud.ts';

/** An instance that runs without a record, and what the cluster still knows of it. */
export interface LostInstance {
  readonly instance: Instance;
  readonly object?: NodeClaimObject;
  readonly node?: Node;
}

/** One of a pool that is known. */
export interface Found extends LostInstance {
  readonly instance: Instance & { readonly facts: InstanceFacts };
  readonly pool: NodePool;
}

/**
 * The record that an instance must have had: what its NodeClaim object says, else what its pool says
 * now. What cannot be known is taken to be as it should be, so that nothing is moved for it.
 *
 * @returns absent, if the catalogue does not know the instance's type
 */
export function adoptedClaim(
  { instance, object, node, pool }: Found,
  { instanceTypes, offerings }: Catalogue,
  now: EpochMs,
): NodeClaim | undefined {
  const launch = launchOf({ instance, pool }, { instanceTypes, offerings }, now);
  if (!launch) return undefined;
  const { facts } = instance;
  const registered = node?.labels[REGISTERED_LABEL] === 'true';
  const initialized = registered && node.labels[INITIALIZED_LABEL] === 'true';
  const name = object?.name ?? nameOf(instance, pool);
  const source = object ?? pool;
  const { expireAfterMs, terminationGracePeriodMs } = source;

  return {
    name,
    uid: object?.uid ?? name,
    pool: facts.pool,
    poolHash: hashOf(object, node) ?? pool.hash,
    nodeClass: object?.nodeClass ?? { ...pool.nodeClass, name: facts.nodeClass },
    // What has not joined yet has as long for it as a new one.
    createdAt: registered ? (object?.createdAt ?? launch.at) : now,
    labels: {
      ...pool.labels,
      ...launch.labels,
      ...object?.labels,
      [NODEPOOL_LABEL]: facts.pool,
      [NODECLASS_LABEL]: facts.nodeClass,
    },
    annotations: object?.annotations ?? pool.annotations,
    taints: source.taints,
    startupTaints: initialized ? [] : source.startupTaints,
    requirements: source.requirements,
    instanceTypes: [facts.instanceType],
    requests: object?.requests ?? {},
    ...(expireAfterMs !== undefined && { expireAfterMs }),
    ...(terminationGracePeriodMs !== undefined && { terminationGracePeriodMs }),
    decision: 'adopted',
    launch,
    ...(node && { nodeName: node.name }),
    ...(registered && { registeredAt: now }),
    ...(initialized && { initializedAt: now }),
  };
}

/** Karpenter's own hashes say nothing here: what it launched would all have drifted. */
function hashOf(object?: NodeClaimObject, node?: Node): string | undefined {
  const annotations = { ...node?.annotations, ...object?.annotations };
  const version = annotations[NODEPOOL_HASH_VERSION_ANNOTATION] ?? NODEPOOL_HASH_VERSION;
  return version === NODEPOOL_HASH_VERSION ? annotations[NODEPOOL_HASH_ANNOTATION] : undefined;
}

/** `general-0123abcd`: the pool, and the end of the instance's id. */
const nameOf = ({ claim, providerId }: Instance, { name }: NodePool): string =>
  claim === '' ? `${name}-${providerId.slice(-8)}` : claim;

function launchOf(
  { instance, pool }: Pick<Found, 'instance' | 'pool'>,
  { instanceTypes, offerings }: Catalogue,
  now: EpochMs,
): Launch | undefined {
  const { providerId, facts, launchedAt = now } = instance;
  const { instanceType, zone, capacityType } = facts;
  const type = instanceTypes[pool.name]?.find(({ name }) => name === instanceType);
  if (!type) return undefined;
  return {
    providerId,
    instanceType,
    zone,
    capacityType,
    hourlyUsd: priceOf(facts, offerings),
    at: launchedAt,
    labels: {
      ...type.labels,
      [INSTANCE_TYPE_LABEL]: instanceType,
      [ZONE_LABEL]: zone,
      [CAPACITY_TYPE_LABEL]: capacityType,
    },
    capacity: type.capacity,
    allocatable: type.allocatable,
  };
}

/** Nobody sells it any more: then it is worth nothing to move away from it. */
const priceOf = (facts: InstanceFacts, offerings: readonly Offering[]): number =>
  offerings.find(
    ({ instanceType, zone, capacityType }) =>
      instanceType === facts.instanceType &&
      zone === facts.zone &&
      capacityType === facts.capacityType,
  )?.hourlyUsd ?? 0;
