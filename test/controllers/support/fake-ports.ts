import { memoryUnavailableOfferings } from '../../../shared/memory/capacity-records.ts';
import { memoryCommands } from '../../../shared/memory/disruption-records.ts';
import { memoryNodeClaims, memoryNominations } from '../../../shared/memory/node-claims.ts';
import { memoryOwnership, type OwnershipLeases } from '../../../shared/memory/ownership.ts';
import { memoryControllerRecords } from '../../../shared/memory/records.ts';
import { PodHeldError, RebootRefusedError, StaleObjectError } from '../../../shared/model/errors.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import type { Impairment } from '../../../shared/model/nodes/interruption.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { NodeClaimObject } from '../../../shared/model/nodes/node-claim-object.ts';
import type { ExtensionStatus, NodePoolStatus } from '../../../shared/model/nodes/reported-status.ts';
import type { InstanceType, Offering } from '../../../shared/model/offerings/instance-type.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import type { AttachedVolume } from '../../../shared/model/pods/storage.ts';
import type { EpochMs } from '../../../shared/model/time.ts';
import type { Cloud, Instance, LaunchResult } from '../../../shared/ports/cloud.ts';
import type { Cluster, ClusterObjects } from '../../../shared/ports/cluster.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { applyLabelChanges } from '../../../shared/simulation/control-plane/node-writes.ts';
import {
  aLaunch,
  aNode,
  aNodePool,
  anInitializedClaim,
  anInstanceType,
  NOON,
  offeringsOf,
  ZONES,
} from '../../support/builders.ts';
import type { LaunchOutcome } from '../../support/launch-one.ts';

/** A cluster and an EC2 that do what a test says, and nothing on their own. */
export interface FakeWorld {
  readonly ports: Ports;
  now: EpochMs;
  objects: ClusterObjects;
  readonly instances: Map<string, Instance>;
  /** Provider ids of the instances that were rebooted. */
  readonly reboots: string[];
  /** The impairments that EC2 reports. */
  impairments: readonly Impairment[];
  /** Claims as they were last shown in the cluster. */
  readonly projected: Map<string, NodeClaim>;
  /** The NodeClaim objects of the cluster; a projection keeps other writers' fields. */
  readonly claimObjects: Map<string, NodeClaimObject>;
  readonly sent: { readonly hint: Hint; readonly at: EpochMs }[];
  readonly events: ClusterEvent[];
  readonly decisions: Decision[];
  /** Calls for pods: `evict default/web-1`, `delete default/web-1 30000`. */
  readonly podCalls: string[];
  /** EC2's offerings: m7i.large on demand by default. */
  catalogue: { types: readonly InstanceType[]; offerings: readonly Offering[] };
  /** Answers launches; by default there is always capacity. */
  launch: (claim: NodeClaim) => LaunchOutcome;
  /** The PodDisruptionBudget that refuses an eviction, by pod name. */
  readonly refusingBudgets: Map<string, string>;
  /** Why the API server keeps a pod, by pod name. */
  readonly heldPods: Map<string, string>;
  /** The last status of each NodePool. */
  readonly poolStatuses: Map<string, NodePoolStatus>;
  /** By kind and name. */
  readonly extensionStatuses: Map<string, ExtensionStatus>;
  /** Attached volumes, by Node. */
  readonly volumes: Map<string, readonly AttachedVolume[]>;
  /** The ownership lease of the cluster; these ports own it as `shop/lambda`. */
  readonly leases: OwnershipLeases;
}

export const providerIdOf = (claim: string): string => `aws:///us-east-1a/i-${claim}`;

export function aFakeWorld(over: Partial<ClusterObjects> = {}): FakeWorld {
  const world: Omit<FakeWorld, 'ports'> = {
    now: NOON,
    objects: {
      pods: [],
      nodes: [],
      nodeClaims: [],
      pools: [aNodePool()],
      daemonSets: [],
      podDisruptionBudgets: [],
      namespaces: { default: {} },
      ...over,
    },
    instances: new Map(),
    reboots: [],
    impairments: [],
    projected: new Map(),
    claimObjects: new Map(),
    sent: [],
    events: [],
    decisions: [],
    podCalls: [],
    refusingBudgets: new Map(),
    heldPods: new Map(),
    poolStatuses: new Map(),
    extensionStatuses: new Map(),
    volumes: new Map(),
    leases: {},
    catalogue: {
      types: [anInstanceType()],
      offerings: offeringsOf('m7i.large', 0.1008, ZONES, ['on-demand']),
    },
    launch: (claim) => ({
      outcome: 'launched',
      launch: aLaunch({ providerId: providerIdOf(claim.name), at: world.now }),
      unavailable: [],
    }),
  };
  const ports: Ports = {
    clock: { now: () => world.now },
    cluster: fakeCluster(world),
    cloud: fakeCloud(world),
    nodeClaims: memoryNodeClaims(),
    ...memoryControllerRecords(),
    commands: memoryCommands(),
    nominations: memoryNominations(),
    unavailableOfferings: memoryUnavailableOfferings(),
    queue: {
      send: async (hint, at = world.now) => {
        world.sent.push({ hint, at });
      },
    },
    decisionLog: {
      recordEvent: async (event) => {
        world.events.push(event);
      },
      recordDecision: async (decision) => {
        // Tests compare plans; the input is the snapshot that the test itself made.
        const { input: _, tookMs: _tookMs, ...decided } = decision;
        world.decisions.push(decided);
      },
      recordConfirmation: async () => {},
    },
    ownership: memoryOwnership({ now: () => world.now }, world.leases, {
      stack: 'shop',
      mode: 'lambda',
    }),
  };
  // One object, so that the ports read what a test changes.
  return Object.assign(world, { ports });
}

function fakeCluster(world: Omit<FakeWorld, 'ports'>): Cluster {
  const setNodes = (nodes: readonly Node[]): void => {
    world.objects = { ...world.objects, nodes };
  };
  const replaceNode = (name: string, next: Node): void => {
    const isReleased = next.deletionAt !== undefined && next.finalizers.length === 0;
    setNodes(
      world.objects.nodes.flatMap((node) => {
        if (node.name !== name) return [node];
        return isReleased ? [] : [next];
      }),
    );
  };
  const throwIfHeld = (pod: Pod): void => {
    const why = world.heldPods.get(pod.name);
    if (why !== undefined) throw new PodHeldError(podKey(pod), { why });
  };
  const removePod = ({ uid }: Pod): void => {
    const pods = world.objects.pods.filter((pod) => pod.uid !== uid);
    world.objects = { ...world.objects, pods };
  };

  return {
    observe: async () => ({ ...world.objects, nodeClaims: [...world.claimObjects.values()] }),
    projectNodeClaim: async (claim) => {
      world.projected.set(claim.name, claim);
      showClaim(world, claim);
    },
    async showWait({ name, waitsFor }) {
      const object = world.claimObjects.get(name);
      if (!object || !waitsFor) return;
      const { condition: type, status, reason, message } = waitsFor;
      const conditions = [{ type, status, reason, message }];
      world.claimObjects.set(name, { ...object, conditions });
    },
    removeNodeClaim: async (name) => {
      world.projected.delete(name);
      world.claimObjects.delete(name);
    },
    reportNodePool: async (status) => {
      world.poolStatuses.set(status.pool, status);
    },
    reportExtension: async (status) => {
      world.extensionStatuses.set(`${status.kind} ${status.name}`, status);
    },
    findRestarts: async () => [],
    async restartOwner(pod) {
      world.podCalls.push(`restart ${podKey(pod)}`);
      return { outcome: 'restarted', deployment: 'web' };
    },
    async setPodDeletionCost(pod, cost) {
      world.podCalls.push(`cost ${cost ?? 'none'} of ${podKey(pod)}`);
      return 'changed';
    },
    attachedVolumes: async (node) => world.volumes.get(node) ?? [],
    async changeNode(node, change) {
      const stored = world.objects.nodes.find(({ name }) => name === node.name);
      if (stored !== node) throw new StaleObjectError(`Node ${node.name}`);
      replaceNode(node.name, {
        ...node,
        ...change,
        labels: applyLabelChanges(node, change),
        annotations: { ...node.annotations, ...change.annotations },
      });
    },
    async deleteNode({ name, uid }) {
      const stored = world.objects.nodes.find((node) => node.name === name && node.uid === uid);
      if (stored) replaceNode(name, { ...stored, deletionAt: stored.deletionAt ?? world.now });
    },
    async evict(pod) {
      world.podCalls.push(`evict ${pod.namespace}/${pod.name}`);
      throwIfHeld(pod);
      const pdb = world.refusingBudgets.get(pod.name);
      if (pdb !== undefined) return { outcome: 'refused', pdb };
      removePod(pod);
      return { outcome: 'evicted' };
    },
    async deletePod(pod, gracePeriodMs) {
      world.podCalls.push(`delete ${pod.namespace}/${pod.name} ${gracePeriodMs}`);
      throwIfHeld(pod);
      removePod(pod);
    },
  };
}

/** Writes the NodeClaim object; keeps its deletion timestamp and other writers' annotations. */
function showClaim({ claimObjects }: Pick<FakeWorld, 'claimObjects'>, claim: NodeClaim): void {
  const { deletionAt: _, ...shown } = toNodeClaimObject(claim);
  const before = claimObjects.get(claim.name);
  claimObjects.set(claim.name, {
    ...shown,
    annotations: { ...before?.annotations, ...shown.annotations },
    ...(before?.deletionAt === undefined ? {} : { deletionAt: before.deletionAt }),
  });
}

function fakeCloud(world: Omit<FakeWorld, 'ports'>): Cloud {
  const terminated = new Map<string, Instance>();
  return {
    catalogue: async (pools) => {
      const { types, offerings } = world.catalogue;
      const instanceTypes = Object.fromEntries(pools.map(({ name }) => [name, types]));
      return { instanceTypes, offerings };
    },
    async launch({ id, claims, isRepeated, existingInstances }) {
      const launchedBefore = [...world.instances.values()].filter(
        ({ launchId, providerId }) => launchId === id && !existingInstances.includes(providerId),
      );
      const launches = (isRepeated ? launchedBefore : []).map(({ providerId }) =>
        aLaunch({ providerId, at: world.now }),
      );
      const unavailable: LaunchResult['unavailable'][number][] = [];
      for (const claim of claims.slice(launches.length)) {
        const result = world.launch(claim);
        unavailable.push(...result.unavailable);
        if (result.outcome === 'unavailable') continue;
        const { providerId } = result.launch;
        launches.push(result.launch);
        world.instances.set(providerId, {
          providerId,
          claim: claim.name,
          state: 'running',
          launchId: id,
        });
      }
      return { launches, unavailable };
    },
    instances: async () => [...world.instances.values()],
    findInstances: async (providerIds) => providerIds.flatMap((providerId) => world.instances.get(providerId) ?? []),
    instance: async (providerId) => world.instances.get(providerId) ?? terminated.get(providerId),
    impairments: async () => world.impairments,
    async nameInstance(providerId, { clusterTag, ...names }) {
      const instance = world.instances.get(providerId);
      if (!instance) return;
      const { lacksClusterTag, ...rest } = instance;
      const isLacking = lacksClusterTag && !clusterTag;
      world.instances.set(providerId, { ...rest, ...(isLacking && { lacksClusterTag }), ...names });
    },
    async reboot(providerId) {
      if (!world.instances.has(providerId)) throw new RebootRefusedError(providerId);
      world.reboots.push(providerId);
    },
    async terminate(providerId) {
      const instance = world.instances.get(providerId);
      if (instance) terminated.set(providerId, { ...instance, state: 'terminated' });
      world.instances.delete(providerId);
    },
  };
}

/** A running claim: its record, its instance and its Node, all named `name`. */
export async function addRunning(
  world: FakeWorld,
  name: string,
  over: Partial<NodeClaim> = {},
  node: Partial<Node> = {},
): Promise<NodeClaim> {
  const providerId = providerIdOf(name);
  const claim = anInitializedClaim(name, {
    name,
    launch: aLaunch({ providerId }),
    // The pools of most tests have no consolidateAfter.
    consolidatableSince: NOON,
    ...over,
  });
  await world.ports.nodeClaims.save(claim, 0);
  world.projected.set(name, claim);
  showClaim(world, claim);
  world.instances.set(providerId, { providerId, claim: name, state: 'running' });
  const { objects } = world;
  world.objects = { ...objects, nodes: [...objects.nodes, aNode({ name, providerId, ...node })] };
  return claim;
}

/** The kubelet of a claim's instance joins as ready. */
export function joinNode(world: FakeWorld, claim: string, over: Partial<Node> = {}): void {
  const providerId = providerIdOf(claim);
  const node = aNode({ name: claim, providerId, finalizers: [], labels: {}, ...over });
  world.objects = { ...world.objects, nodes: [...world.objects.nodes, node] };
}

export const claimOf = async (world: FakeWorld, name: string): Promise<NodeClaim | undefined> =>
  (await world.ports.nodeClaims.find(name))?.claim;

export const claimsOf = async (world: FakeWorld): Promise<readonly NodeClaim[]> =>
  (await world.ports.nodeClaims.list()).records.map(({ claim }) => claim);

/** Returns the hints sent since the last call, without duplicates. */
export function takeHints(world: FakeWorld): readonly { hint: Hint; at: EpochMs }[] {
  const observed = new Map(world.sent.map((entry) => [JSON.stringify(entry), entry]));
  world.sent.length = 0;
  return [...observed.values()];
}
