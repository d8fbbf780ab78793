import type { ConsolidationFacts } from '../../lifecycle/consolidatable.ts';
import type { Observed, ObservedInstance } from '../../lifecycle/observed.ts';
import { awaitsFirstPod, findFirstRun } from '../../lifecycle/startup/first-pod.ts';
import { listRequestedDrivers } from '../../lifecycle/startup/initialization.ts';
import { waitsForPartition } from '../../lifecycle/startup/partition.ts';
import { findNoticePeriod } from '../../lifecycle/termination/drain.ts';
import type { NoticePeriod } from '../../lifecycle/termination/interruption-deletions.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { isRebooting } from '../../model/nodes/reboot.ts';
import { ownValue } from '../../model/own-value.ts';
import { isTerminal, isTerminating, listMatchingBudgets } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { PodDisruptionBudget } from '../../model/pods/workload.ts';
import type { EpochMs } from '../../model/time.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { ClaimObjects, ClaimQuery, Cluster, ClusterObjects } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import { launchIdOf } from '../launch/launch-groups.ts';
import { leaveLaunchRecord } from '../launch/launch-record.ts';
import { findShiftAwayFrom } from '../zonal-shift/shifted-zones.ts';

type ObservationPorts = Pick<Ports, 'clock' | 'cluster' | 'cloud' | 'launches' | 'nodeClaims' | 'zonalShifts'>;

export interface ObservationOptions {
  /**
   * EC2 reported that the instance stopped or ended: EC2 is asked even though the node looks
   * healthy.
   */
  readonly inDoubt?: true;
  /** EC2 did not list the instance: EC2 is asked even though no Node has joined. */
  readonly isUnlisted?: true;
}

/** Reads what the next step of one claim depends on, and asks EC2 only if necessary. */
export async function observeClaim(
  ports: ObservationPorts,
  claim: NodeClaim,
  { inDoubt, isUnlisted }: ObservationOptions = {},
): Promise<Observed> {
  const objects = await observeClaimObjects(ports.cluster, {
    claim: claim.name,
    ...toInstanceQuery(claim),
    budgets: isDraining(claim),
    devices: claim.initializedAt === undefined && listRequestedDrivers(claim).length > 0,
  });
  const providerId = claim.launch?.providerId;
  const nodes = providerId === undefined ? [] : objects.nodes.filter((node) => node.providerId === providerId);
  const names = new Set(nodes.map(({ name }) => name));
  const isLeaving = isDraining(claim) && names.size > 0;
  const pods = isLeaving ? objects.pods.filter(({ nodeName }) => nodeName !== undefined && names.has(nodeName)) : [];

  const isUncertain = inDoubt || isUnlisted || claim.instanceAbsentSince !== undefined;
  const needsEc2 = needsInstance(claim, nodes) || (isUncertain && claim.launch !== undefined);
  const instance = needsEc2 ? await findInstance(ports, claim) : undefined;
  return {
    ...findConsolidationFacts(claim, objects, ports.clock.now()),
    ...findPoolVersion(claim, objects),
    nodes,
    ...(nodes.length === 0 && isNodeUnreadable(claim, objects) && { hasUnreadableNode: true }),
    pods,
    ...(isLeaving && { budgets: listBudgetsOf(pods, objects) }),
    ...(await findInterruptedElsewhere(ports, claim, pods, objects)),
    ...(awaitsFirstPod(claim) && observeFirstPod(claim, objects.pods, names)),
    ...findObject(claim, objects),
    ...(objects.devices && { devices: objects.devices }),
    ...(await readVolumes(ports, claim, nodes)),
    ...(instance && { instance }),
    ...(inDoubt && { isReportedEnded: true }),
  };
}

const isDraining = (claim: NodeClaim): boolean => claim.deletingAt !== undefined || isRebooting(claim);

/** Reads as little as the cluster's adapter can; the result may contain objects of other claims. */
export const observeClaimObjects = (cluster: Cluster, query: ClaimQuery): Promise<ClaimObjects> =>
  cluster.observeClaim?.(query) ?? cluster.observe({ devices: query.devices ?? false });

const toInstanceQuery = ({ launch, nodeName }: NodeClaim): Pick<ClaimQuery, 'instance'> =>
  launch
    ? {
        instance: {
          providerId: launch.providerId,
          instanceType: launch.instanceType,
          zone: launch.zone,
          ...(nodeName !== undefined && { nodeName }),
        },
      }
    : {};

function findPoolVersion(
  { pool: poolName }: NodeClaim,
  { pools }: Pick<ClusterObjects, 'pools'>,
): Pick<Observed, 'poolVersion'> {
  const pool = pools.find(({ name }) => name === poolName);
  return pool ? { poolVersion: pool } : {};
}

/** Finds the facts that decide if consolidation may consider the node of a claim. */
export function findConsolidationFacts(
  { pool: poolName, nodeName = '' }: NodeClaim,
  { pools, lastPodEventAt }: Pick<ClusterObjects, 'pools' | 'lastPodEventAt'>,
  now: EpochMs,
): ConsolidationFacts {
  const pool = pools.find(({ name }) => name === poolName);
  const lastEventAt = ownValue(lastPodEventAt, nodeName);
  return {
    now,
    ...(pool && { pool }),
    ...(lastEventAt !== undefined && { lastPodEventAt: lastEventAt }),
  };
}

function observeFirstPod(
  claim: NodeClaim,
  pods: readonly Pod[],
  nodes: ReadonlySet<string>,
): Pick<Observed, 'firstPodRanAt'> {
  const onNode = pods.filter(({ nodeName }) => nodeName !== undefined && nodes.has(nodeName));
  const firstPodRanAt = findFirstRun(claim, onNode);
  return firstPodRanAt === undefined ? {} : { firstPodRanAt };
}

/** The budgets that select one of the pods. */
const listBudgetsOf = (
  pods: readonly Pod[],
  { podDisruptionBudgets: all }: Pick<ClusterObjects, 'podDisruptionBudgets'>,
): readonly PodDisruptionBudget[] => [...new Set(pods.flatMap((pod) => listMatchingBudgets(pod, all)))];

/** Each is a list of pods every few seconds; with more, the deletions are spread among these only. */
const MAX_INTERRUPTED_NODES = 30;

/**
 * Finds the pods whose deletions this drain has to spread besides its own. Other claims, and the pods
 * on their Nodes, are listed only as long as budgets hold pods of an interrupted node.
 */
async function findInterruptedElsewhere(
  { cluster, nodeClaims }: Pick<Ports, 'cluster' | 'nodeClaims'>,
  claim: NodeClaim,
  onNode: readonly Pod[],
  objects: Pick<ClusterObjects, 'pods' | 'podDisruptionBudgets'>,
): Promise<Pick<Observed, 'interruptedElsewhere'>> {
  if (!findNoticePeriod(claim)) return {};
  const shared = listBudgetsOf(
    onNode.filter((pod) => !isTerminating(pod)),
    objects,
  );
  if (shared.length === 0) return {};
  const periods = await listNoticePeriods(nodeClaims, claim);
  if (periods.size === 0) return {};
  const pods = (await cluster.podsOnNodes?.([...periods.keys()])) ?? objects.pods;
  const interruptedElsewhere = pods.flatMap((pod) => {
    const period = periods.get(pod.nodeName ?? '');
    const isShared = period !== undefined && !isTerminal(pod) && listMatchingBudgets(pod, shared).length > 0;
    return isShared ? [{ pod, ...period }] : [];
  });
  return interruptedElsewhere.length > 0 ? { interruptedElsewhere } : {};
}

/** The other Nodes that EC2 takes soon, those that it takes first. */
async function listNoticePeriods(
  nodeClaims: Pick<Ports['nodeClaims'], 'list'>,
  { name }: NodeClaim,
): Promise<ReadonlyMap<string, NoticePeriod>> {
  const { records } = await nodeClaims.list({ isEventual: true });
  const noticed = records.flatMap(({ claim }): [string, NoticePeriod][] => {
    const period = findNoticePeriod(claim);
    const isOther = claim.name !== name && claim.terminatedAt === undefined;
    return period && isOther && claim.nodeName !== undefined ? [[claim.nodeName, period]] : [];
  });
  const soonest = noticed.toSorted(([a, { deadline }], [b, other]) => deadline - other.deadline || (a < b ? -1 : 1));
  return new Map(soonest.slice(0, MAX_INTERRUPTED_NODES));
}

/** Volumes are read only between drain and termination, because they cost extra requests. */
async function readVolumes(
  { cluster, clock }: ObservationPorts,
  { drainedAt, drainDeadline, volumesDetachedAt, terminatingAt }: NodeClaim,
  [node]: readonly Node[],
): Promise<Pick<Observed, 'volumes'>> {
  const isOver = volumesDetachedAt !== undefined || terminatingAt !== undefined;
  const isDrainOver = drainedAt !== undefined || (drainDeadline !== undefined && clock.now() >= drainDeadline);
  if (!isDrainOver || isOver || !node) return {};
  return { volumes: await cluster.attachedVolumes(node.name) };
}

const isNodeUnreadable = ({ nodeName }: NodeClaim, { unreadable = [] }: Pick<ClusterObjects, 'unreadable'>): boolean =>
  unreadable.some(({ kind, name }) => kind === 'Node' && name === nodeName);

/** An object that exists but cannot be read is not missing. */
function findObject(
  { name }: NodeClaim,
  { nodeClaims, unreadable = [] }: Pick<ClusterObjects, 'nodeClaims' | 'unreadable'>,
): Pick<Observed, 'object'> {
  const object = nodeClaims.find((candidate) => candidate.name === name);
  if (object) return { object };
  const isThere = unreadable.some((one) => one.kind === 'NodeClaim' && one.name === name);
  return isThere ? {} : { object: 'missing' };
}

/**
 * EC2 is asked if the instance should be terminating or rebooting, or if no Node shows that it runs: also about a Node that
 * is being deleted, which the cloud controller does once its instance has ended.
 */
function needsInstance(claim: NodeClaim, nodes: readonly Node[]): boolean {
  const isAlive = nodes.some(({ ready }) => ready);
  if (isRebooting(claim)) return true;
  if (claim.deletingAt === undefined && claim.registeredAt === undefined) {
    return nodes.length > 0 && waitsForPartition(claim);
  }
  if (claim.deletingAt === undefined) {
    return !isAlive || nodes.some(({ deletionAt }) => deletionAt !== undefined);
  }
  return claim.registeredAt === undefined || claim.drainedAt !== undefined || !isAlive;
}

/** An instance that is not on the claim yet is in its launch record, or is tagged with the claim's name. */
async function findInstance(ports: ObservationPorts, claim: NodeClaim): Promise<ObservedInstance> {
  const providerId = claim.launch?.providerId ?? (await leaveLaunchRecord(ports, launchIdOf(claim), claim.name));
  if (providerId !== undefined) {
    return (await findShiftedInstance(ports, providerId)) ?? toObservedInstance(await ports.cloud.instance(providerId));
  }
  const instances = await ports.cloud.instances();
  const instance = instances.find((candidate) => candidate.claim === claim.name);
  return (instance && (await findShiftedInstance(ports, instance.providerId))) ?? toObservedInstance(instance);
}

/** The recorded state of an instance in a shifted zone. `undefined`: EC2 may be asked. */
async function findShiftedInstance(ports: ObservationPorts, providerId: string): Promise<ObservedInstance | undefined> {
  const shift = await findShiftAwayFrom(ports, providerId);
  return shift && { providerId, state: 'running', shift };
}

function toObservedInstance(instance: Instance | undefined): ObservedInstance {
  if (!instance) return { state: 'gone', isAbsent: true };
  const { providerId, state, partition } = instance;
  return {
    providerId,
    state: state === 'terminated' ? 'gone' : state,
    ...(partition !== undefined && { partition }),
  };
}
