import { markDeleting } from '../../lifecycle/termination/deletion.ts';
import { forEachWithLimit } from '../../model/concurrency.ts';
import { parseGoDuration } from '../../model/duration.ts';
import {
  CAPACITY_TYPE_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_HASH_ANNOTATION,
  NODEPOOL_HASH_VERSION,
  NODEPOOL_HASH_VERSION_ANNOTATION,
  NODEPOOL_LABEL,
  pickReadAnnotations,
  REBOOT_DRAIN_ANNOTATION,
  REBOOT_FROM_ANNOTATION,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import { type Launch, type NodeClaim, pickPoolSettings } from '../../model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../model/nodes/node-claim-object.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { Offering } from '../../model/offerings/instance-type.ts';
import { ownValue } from '../../model/own-value.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Catalogue, Instance, InstanceFacts } from '../../ports/cloud.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import { storeClaim, writeUnlessStale } from '../support/claim-writes.ts';
import { toSyntheticPool } from './standalone-claim.ts';

/** Urgent requests to the table and the API server must not wait behind these. */
const MAX_CONCURRENT_WRITES = 10;

/** After an adoption the node is nominated for this long, so that no disruption moves it. */
const NOMINATED_AFTER_ADOPTION_MS = 10 * MINUTE_MS;

/**
 * Creates records for instances that run without one. Launches, moves and terminates nothing itself; the
 * records of surplus instances are made as deleting, so that they are drained.
 *
 * @returns the instances for which no record could be made, as their NodePool or type is unknown
 */
export async function adoptInstances(
  ports: PortsOf<'sweep'>,
  lost: readonly LostInstance[],
  { pools }: Pick<ClusterObjects, 'pools'>,
): Promise<readonly LostInstance[]> {
  if (lost.length === 0) return [];
  const byName = new Map(pools.map((pool) => [pool.name, pool]));
  const adoptable = lost.flatMap((one) => {
    const { facts } = one.instance;
    const pool = facts && findPool(one, facts, byName);
    return pool ? [{ ...one, pool, instance: { ...one.instance, facts } }] : [];
  });
  const catalogue = await ports.cloud.catalogue([...new Set(adoptable.map(({ pool }) => pool))]);
  const now = ports.clock.now();
  const adopted = adoptable.flatMap((one) => {
    const claim = toAdoptedClaim(one, catalogue, now);
    return claim ? [{ providerId: one.instance.providerId, claim }] : [];
  });
  const claims = adopted.map(({ claim }) => claim);
  // Before the records exist, so that no disruption sees an adopted node without its nomination.
  await ports.nominations.nominate(
    claims.flatMap(({ name, nodeName }) => (nodeName === undefined ? [name] : [name, nodeName])),
    now + NOMINATED_AFTER_ADOPTION_MS,
  );
  await forEachWithLimit(claims, MAX_CONCURRENT_WRITES, async (claim) => {
    if (!(await storeIfNew(ports, claim))) return;
    await ports.queue.send({ topic: 'claim', claim: claim.name });
    await ports.decisionLog.recordEvent({ kind: 'adopted', at: now, claim: claim.name });
  });
  const providerIds = new Set(adopted.map(({ providerId }) => providerId));
  return lost.filter(({ instance }) => !providerIds.has(instance.providerId));
}

/**
 * The pool that the instance was launched for. If it is deleted, a pool is derived from the
 * NodeClaim.
 */
const findPool = (
  { object }: LostInstance,
  facts: InstanceFacts,
  pools: ReadonlyMap<string, NodePool>,
): NodePool | undefined => pools.get(facts.pool) ?? (object && toSyntheticPool(object));

/**
 * Builds what the record of a claim says about its instance.
 *
 * @returns undefined if its NodePool or type is unknown
 */
export async function buildLaunch(
  { cloud, clock }: Pick<PortsOf<'sweep'>, 'cloud' | 'clock'>,
  lost: LostInstance,
  pools: readonly NodePool[],
): Promise<Launch | undefined> {
  const { facts } = lost.instance;
  const pool = facts && findPool(lost, facts, new Map(pools.map((one) => [one.name, one])));
  if (!pool) return undefined;
  const instance = { ...lost.instance, facts };
  return toLaunch({ instance, pool }, await cloud.catalogue([pool]), clock.now());
}

/** The name may have the record of an earlier, terminated claim, which is replaced. */
async function storeIfNew(ports: PortsOf<'sweep'>, claim: Parameters<typeof storeClaim>[1]): Promise<boolean> {
  const existing = await ports.nodeClaims.find(claim.name);
  if (existing && existing.claim.terminatedAt === undefined) return false;
  return writeUnlessStale(() => storeClaim(ports, claim, existing?.version ?? 0));
}

/** An instance without a record, and the objects that the cluster has for it. */
export interface LostInstance {
  readonly instance: Instance;
  readonly object?: NodeClaimObject;
  readonly node?: Node;
  /** No claim needs it, but pods may run on its node: it is drained. */
  readonly isSurplus?: true;
}

/** An instance whose pool could be found. */
interface AdoptableInstance extends LostInstance {
  readonly instance: Instance & { readonly facts: InstanceFacts };
  readonly pool: NodePool;
}

/**
 * Reconstructs the record of an instance from its NodeClaim object, or else from its pool. Unknown
 * fields are set as the pool wants them, so that the claim does not count as drifted.
 *
 * @returns undefined if the catalogue lacks the instance's type
 */
function toAdoptedClaim(
  { instance, object, node, pool, isSurplus }: AdoptableInstance,
  catalogue: Catalogue,
  now: EpochMs,
): NodeClaim | undefined {
  const launch = toLaunch({ instance, pool }, catalogue, now);
  if (!launch) return undefined;
  const { facts } = instance;
  // The drain of a claim that is not registered would be skipped.
  const isRegistered = isSurplus || node?.labels[REGISTERED_LABEL] === 'true';
  const isInitialized = isRegistered && node?.labels[INITIALIZED_LABEL] === 'true';
  const name = object?.name ?? toClaimName(instance, pool, isSurplus);

  const claim: NodeClaim = {
    name,
    uid: object?.uid ?? name,
    pool: facts.pool,
    nodeClass: object?.nodeClass ?? { ...pool.nodeClass, name: facts.nodeClass },
    // An instance that has not joined yet gets the full registration timeout.
    createdAt: isRegistered ? (object?.createdAt ?? launch.at) : now,
    labels: {
      ...pool.labels,
      ...launch.labels,
      ...object?.labels,
      [NODEPOOL_LABEL]: facts.pool,
      [NODECLASS_LABEL]: facts.nodeClass,
    },
    ...describeClaim({ object, node, pool, isInitialized }, now),
    instanceTypes: [facts.instanceType],
    decision: 'adopted',
    launch,
    ...(node && { nodeName: node.name }),
    ...(isRegistered && { registeredAt: findConditionStart(object, 'Registered') ?? now }),
    ...(isInitialized && { initializedAt: findConditionStart(object, 'Initialized') ?? now }),
  };
  return isSurplus ? markDeleting(claim, { removal: 'Requested', at: now }) : claim;
}

interface ClaimDescription {
  readonly object: NodeClaimObject | undefined;
  readonly node: Node | undefined;
  readonly pool: NodePool;
  readonly isInitialized: boolean;
}

/** The facts of a claim's object, or else of its pool, regardless of the object's writer. */
export function describeClaim({ object, node, pool, isInitialized }: ClaimDescription, now: EpochMs) {
  const { taints, startupTaints, requirements, expireAfterMs, terminationGracePeriodMs } = object ?? pool;
  return {
    poolHash: findPoolHash(object, node) ?? pool.hash,
    annotations: object ? pickReadAnnotations(object.annotations) : pool.annotations,
    taints,
    startupTaints: isInitialized ? [] : startupTaints,
    requirements,
    requests: object?.requests ?? {},
    ...(expireAfterMs !== undefined && { expireAfterMs }),
    // Set here already: an old node would be deleted before the next check for drift sets it.
    ...pickPoolSettings(pool),
    ...(terminationGracePeriodMs !== undefined && { terminationGracePeriodMs }),
    ...(object?.lastPodEventAt !== undefined && { lastPodEventAt: object.lastPodEventAt }),
    ...readReboot(object, now),
  };
}

/**
 * A reboot that Karpenter has under way.
 *
 * @see Karpenter 1.15, pkg/controllers/nodeclaim/reboot
 */
function readReboot(object: NodeClaimObject | undefined, now: EpochMs): Pick<NodeClaim, 'reboots'> {
  const rebooting = object?.conditions.find(({ type, status }) => type === 'Rebooting' && status === 'True');
  if (!object || !rebooting) return {};
  const bootId = object.annotations[REBOOT_FROM_ANNOTATION];
  const drainMs = parseGoDuration(object.annotations[REBOOT_DRAIN_ANNOTATION] ?? '');
  const initialized = object.conditions.find(({ type }) => type === 'Initialized');
  const reboot = {
    cause: rebooting.message.replace(/^rebooting for /, ''),
    requestedAt: rebooting.since ?? now,
    ...(drainMs !== undefined && { drainMs }),
    ...(bootId !== undefined && { fromBoot: { id: bootId, at: now } }),
    ...(rebooting.reason === 'RebootIssued' && { issuedAt: initialized?.since ?? now }),
  };
  return { reboots: [reboot] };
}

/** Without this time, a node that has run for days would count as new. */
const findConditionStart = (
  object: NodeClaimObject | undefined,
  type: 'Registered' | 'Initialized',
): EpochMs | undefined => object?.conditions.find((one) => one.type === type && one.status === 'True')?.since;

/**
 * Uses only hashes of our version. Karpenter's hashes differ and would mark every adopted node as
 * drifted.
 */
function findPoolHash(object?: NodeClaimObject, node?: Node): string | undefined {
  const annotations = { ...node?.annotations, ...object?.annotations };
  const version = annotations[NODEPOOL_HASH_VERSION_ANNOTATION] ?? NODEPOOL_HASH_VERSION;
  return version === NODEPOOL_HASH_VERSION ? annotations[NODEPOOL_HASH_ANNOTATION] : undefined;
}

/**
 * `general-0123abcd`: the pool and the last eight characters of the instance id. The name that a surplus
 * instance is tagged with belongs to another claim.
 */
const toClaimName = ({ claim, providerId }: Instance, { name }: NodePool, isSurplus: true | undefined): string =>
  claim === '' || isSurplus ? `${name}-${providerId.slice(-8)}` : claim;

function toLaunch(
  { instance, pool }: Pick<AdoptableInstance, 'instance' | 'pool'>,
  { instanceTypes, offerings, unpriced }: Catalogue,
  now: EpochMs,
): Launch | undefined {
  const { providerId, facts, launchedAt = now } = instance;
  const { instanceType, zone, capacityType } = facts;
  const type = ownValue(instanceTypes, pool.name)?.find(({ name }) => name === instanceType);
  if (!type) return undefined;
  return {
    providerId,
    instanceType,
    zone,
    capacityType,
    hourlyUsd: unpriced ? 0 : findPrice(facts, offerings),
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

/** 0 for offerings that are no longer sold, so that consolidation sees no saving in moving away. */
const findPrice = (facts: InstanceFacts, offerings: readonly Offering[]): number =>
  offerings.find(
    ({ instanceType, zone, capacityType }) =>
      instanceType === facts.instanceType && zone === facts.zone && capacityType === facts.capacityType,
  )?.hourlyUsd ?? 0;
