import { computeClassHash } from '../../../shared/api/stored-objects/static-drift.ts';
import { decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { memoryZonalShifts } from '../../../shared/memory/capacity-records.ts';
import { memoryNodeClasses } from '../../../shared/memory/records.ts';
import type { EventReason } from '../../../shared/model/explanations/event-reasons.ts';
import { DO_NOT_DISRUPT_ANNOTATION, RESTART_WHEN_BLOCKED_ANNOTATION } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { NodeClassReadiness } from '../../../shared/model/nodes/node-class.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint, InterruptionNotice } from '../../../shared/ports/work-queue.ts';
import { toNodeClaimObject } from '../../../shared/simulation/control-plane/cluster.ts';
import { allGoes, aSmallPod, replacedBy, withNodes } from '../../controllers/disruption/disruption-world.ts';
import { withDeletedClaim } from '../../controllers/node-claim/claim-worlds.ts';
import { aClassWorld } from '../../controllers/node-class/class-world.ts';
import { LATER, withPods } from '../../controllers/provisioning/provisioning-world.ts';
import {
  addRunning,
  aFakeWorld,
  type FakeWorld,
  joinNode,
  providerIdOf,
} from '../../controllers/support/fake-ports.ts';
import {
  aLaunch,
  aNodeClaim,
  aNodePool,
  aPod,
  aPodDisruptionBudget,
  aPodSpec,
  aRunningPod,
  aTypeOf,
  NOON,
  offeringsOf,
  resources,
  ZONES,
} from '../../support/builders.ts';
import { aFatalPod, aPodFatalToMove } from '../../support/fatal-pod.ts';
import { memoryShiftSource } from '../../support/memory-shift-source.ts';
import { anImage, aResolvedClass } from '../../support/node-classes.ts';
import { ends, hasPlanned } from '../../support/planner-end.ts';
import type { DeployedFunction, Replaced } from './deployed-events.ts';

/** How a function comes to write an Event. */
export interface Story {
  /** The message of the function; its topic names the function. */
  readonly hint: Hint;
  readonly begin: () => Promise<Begun> | Begun;
  /** By default the function handles the hint once. */
  readonly run?: (deployed: DeployedFunction, world: FakeWorld) => Promise<unknown>;
}

interface Begun {
  readonly world: FakeWorld;
  readonly ports?: Replaced;
}

const NAME = 'general-1';
const CLAIM = { topic: 'claim', claim: NAME } as const;
const PLAN = { topic: 'plan' } as const;
const DISRUPT = { topic: 'disrupt' } as const;
const SWEEP = { topic: 'sweep' } as const;
const LARGE = aPodSpec({ requests: resources(64, 64, { pods: 1 }) });

/** A claim with its Node, which the function looks at. */
async function withClaim(over: Partial<NodeClaim> = {}, node: Partial<Node> = {}): Promise<FakeWorld> {
  const world = aFakeWorld();
  await addRunning(world, NAME, over, node);
  return world;
}

const claimStory = (over: Partial<NodeClaim>, node: Partial<Node> = {}, after = 0): Story => ({
  hint: CLAIM,
  async begin() {
    const world = await withClaim(over, node);
    world.now += after;
    return { world };
  },
});

const noticeStory = (kind: Exclude<InterruptionNotice['kind'], 'state-change'>): Story => ({
  hint: { topic: 'interruption', notice: { kind, providerId: providerIdOf(NAME), at: NOON } },
  begin: async () => ({ world: await withClaim() }),
});

const ISSUED_REBOOT = { cause: 'Ready', requestedAt: NOON, fromBoot: { id: 'boot-1', at: NOON }, issuedAt: NOON };

/** EC2 reports another state of the instance. */
const stateStory = (state: 'stopped' | 'shutting-down'): Story => ({
  hint: { ...CLAIM, inDoubt: true },
  async begin() {
    const world = await withClaim();
    const providerId = providerIdOf(NAME);
    world.instances.set(providerId, { providerId, claim: NAME, state });
    return { world };
  },
});

/** Pods that no NodePool can hold, for one cause. */
const planStory = (over: Parameters<typeof aNodePool>[0], spec = aPodSpec()): Story => ({
  hint: PLAN,
  begin() {
    const world = aFakeWorld({ pools: [aNodePool(over)], pods: [aPod({ spec })] });
    world.now = LATER;
    return { world };
  },
});

/** A drain that a budget refuses. */
async function withBlockedDrain(annotations = {}): Promise<FakeWorld> {
  const world = await withDeletedClaim();
  const pods = world.objects.pods.map((pod) => ({ ...pod, annotations }));
  world.objects = { ...world.objects, pods, podDisruptionBudgets: [aPodDisruptionBudget()] };
  world.refusingBudgets.set('a', 'web').set('b', 'web');
  return world;
}

const restart = { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' };

/** Removals are validated 15 s after they were decided. */
async function disruptTwice({ handle }: DeployedFunction, world: FakeWorld): Promise<void> {
  await handle(DISRUPT);
  world.now += 15 * SECOND_MS;
  await handle(DISRUPT);
}

/** A small pod on a large node, which a smaller one can replace. */
async function withLargeNode(): Promise<FakeWorld> {
  const world = aFakeWorld({ pools: [allGoes], pods: [aSmallPod(NAME)] });
  world.catalogue = {
    types: [aTypeOf('m7i.4xlarge', 16, 64), aTypeOf('m7i.large', 2, 8)],
    offerings: [
      ...offeringsOf('m7i.4xlarge', 0.8064, ZONES, ['on-demand']),
      ...offeringsOf('m7i.large', 0.1008, ZONES, ['on-demand']),
    ],
  };
  const providerId = providerIdOf(NAME);
  await addRunning(world, NAME, { launch: aLaunch({ providerId, instanceType: 'm7i.4xlarge', hourlyUsd: 0.8064 }) });
  world.now = NOON + 10 * MINUTE_MS;
  return world;
}

const replacement: Story = {
  hint: DISRUPT,
  begin: async () => ({ world: await withLargeNode() }),
  run: disruptTwice,
};

/** The API server has the annotation on a pod that started at noon; it is ten minutes past noon. */
const annotationStory = (value: string): Story => ({
  hint: DISRUPT,
  begin: async () => ({
    world: await withNodes('a', [aSmallPod('a', { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: value } })]),
  }),
});

/** ARC shifts a zone away, and ends it before a second sweep. */
function shiftStory(): Story {
  const arc = memoryShiftSource();
  return {
    hint: SWEEP,
    async begin() {
      const world = aFakeWorld();
      const nodeClasses = memoryNodeClasses();
      await nodeClasses.save(aResolvedClass({ subnets: SHIFTED_SUBNETS }));
      arc.shift('use1-az1', NOON + HOUR_MS);
      return { world, ports: { nodeClasses, zonalShifts: memoryZonalShifts(), shiftSource: arc } };
    },
    async run({ handle }, world) {
      await handle(SWEEP);
      arc.end('use1-az1');
      world.now += MINUTE_MS;
      await handle(SWEEP);
    },
  };
}

const SHIFTED_SUBNETS = ZONES.map((zone, at) => ({
  id: `subnet-${at}`,
  zone,
  zoneId: `use1-az${at + 1}`,
  freeAddresses: 100,
}));

const RESOLVED = aResolvedClass({ images: [anImage({ id: 'ami-1', requirements: [] })] });

/** A pod, or an annotated pod that stays, ends each planner that looks at it. */
const fatalStory = (pods: readonly Pod[]): Story => ({
  hint: DISRUPT,
  begin: async () => ({ world: await withNodes('abc', pods) }),
  async run({ handle }, world) {
    for (let plans = 0; plans < 20; plans += 1) {
      world.now += 15 * SECOND_MS;
      await hasPlanned(handle(DISRUPT));
    }
  },
});

/** A NodeClaim that a user created, whose class cannot launch it. */
const standaloneStory = (...nodeClassReadiness: readonly NodeClassReadiness[]): Story => ({
  hint: CLAIM,
  begin() {
    const world = aFakeWorld({ pools: [], nodeClassReadiness });
    const object = toNodeClaimObject(aNodeClaim({ name: NAME, createdAt: NOON }));
    world.claimObjects.set(NAME, { ...object, finalizers: [] });
    return { world };
  },
});

/** Stories for each reason of an Event, which together write it on each kind of object. The type fails for a reason without one. */
export const STORIES: Readonly<Record<EventReason, Story | readonly Story[]>> = {
  Nominated: { hint: PLAN, begin: () => ({ world: withPods() }) },
  FailedScheduling: planStory({}, LARGE),
  LaunchesCapped: [
    {
      hint: PLAN,
      begin: () => ({ world: withPods(), ports: { launchCaps: { launchesPerMinute: 2, hourlyUsd: 100 } } }),
    },
    {
      ...replacement,
      begin: async () => ({
        world: await withLargeNode(),
        ports: { launchCaps: { launchesPerMinute: 1_000, hourlyUsd: 0.05 } },
      }),
    },
  ],
  PodsNotReceived: {
    hint: PLAN,
    async begin() {
      const owner = { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' };
      const world = aFakeWorld({ pods: [aPod({ owner })] });
      await addRunning(world, NAME, { expects: { [owner.uid]: 1 }, createdAt: NOON, initializedAt: NOON });
      world.now = NOON + MINUTE_MS;
      return { world };
    },
  },
  PlanningFailed: [
    {
      hint: PLAN,
      begin: () => ({ world: withPods([aFatalPod(aPod({ name: 'web-1' }), ends), aPod({ name: 'web-2' })]) }),
      async run({ handle }, world) {
        for (let plans = 0; plans < 20; plans += 1) {
          world.now += SECOND_MS;
          await hasPlanned(handle(PLAN));
        }
      },
    },
    fatalStory([aPodFatalToMove(aSmallPod('b'), ends)]),
    fatalStory([aFatalPod(aSmallPod('b', { annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } }), ends)]),
  ],
  NoCompatibleInstanceTypes: planStory({
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['none'] }],
  }),
  NodeClassNotFound: [
    planStory({
      ready: false,
      notReady: { condition: 'NodeClassNotFound', message: 'there is none' },
    }),
    standaloneStory(),
  ],
  NodeClassNotReady: [
    planStory({ ready: false, notReady: { condition: 'SubnetsNotFound', message: 'no subnets' } }),
    standaloneStory({ name: 'default', notReady: { condition: 'SubnetsNotFound', message: 'no subnets' } }),
  ],
  WaitingOnNodeClaimTermination: {
    hint: { topic: 'class' },
    async begin() {
      const world = aClassWorld({ isDeleting: true, finalizers: ['karpenter.k8s.aws/termination'] });
      await world.ports.nodeClaims.save(aNodeClaim(), 0);
      return { world, ports: { classes: { ...world.classes, pools: async () => [] } } };
    },
  },
  InsufficientCapacityError: {
    hint: PLAN,
    begin() {
      const world = withPods();
      const [{ instanceType, zone, capacityType } = aLaunch()] = world.catalogue.offerings;
      world.launch = () => ({ outcome: 'unavailable', unavailable: [{ instanceType, zone, capacityType }] });
      return { world };
    },
  },
  UnregisteredTaintMissing: {
    hint: CLAIM,
    async begin() {
      const world = aFakeWorld();
      const providerId = providerIdOf(NAME);
      const claim = aNodeClaim({ name: NAME, launch: aLaunch({ providerId }) });
      await world.ports.nodeClaims.save(claim, 0);
      world.claimObjects.set(NAME, toNodeClaimObject(claim));
      world.instances.set(providerId, { providerId, claim: NAME, state: 'running' });
      joinNode(world, NAME);
      return { world };
    },
  },
  FailedConsistencyCheck: claimStory(
    {
      requests: resources(1, 1),
      launch: aLaunch({ providerId: providerIdOf(NAME), capacity: resources(16, 128) }),
    },
    { capacity: resources(16, 64) },
  ),
  NodeMissing: {
    hint: CLAIM,
    async begin() {
      const world = await withClaim({ nodeMissingSince: NOON });
      world.objects = { ...world.objects, nodes: [] };
      world.now = NOON + 3 * MINUTE_MS;
      return { world };
    },
  },
  SpotInterrupted: noticeStory('spot-interruption'),
  SpotRebalanceRecommendation: noticeStory('rebalance-recommendation'),
  CapacityReservationInstanceInterrupted: noticeStory('reservation-interruption'),
  InstanceStopping: stateStory('stopped'),
  InstanceTerminating: stateStory('shutting-down'),
  InstanceUnhealthy: noticeStory('scheduled-change'),
  TerminatingOnInterruption: noticeStory('spot-interruption'),
  Drifted: {
    hint: DISRUPT,
    async begin() {
      const world = aFakeWorld({ pools: [aNodePool({ hash: 'another' })] });
      const { written, cluster } = RESOLVED;
      const hash = computeClassHash('default', written, cluster.certificateAuthority)?.hash ?? '';
      const launch = aLaunch({ providerId: providerIdOf(NAME), imageId: 'ami-1', nodeClassHash: hash });
      await addRunning(world, NAME, { launch: { ...launch, nodeClassHashVersion: 's1' } });
      return { world, ports: { nodeClasses: { list: async () => [RESOLVED] } } };
    },
  },
  DisruptionLaunching: replacement,
  DisruptionWaitingReadiness: replacement,
  DisruptionTerminating: claimStory({ expireAfterMs: MINUTE_MS }, {}, 2 * MINUTE_MS),
  DisruptionBlocked: [
    annotationStory('true'),
    {
      hint: DISRUPT,
      async begin() {
        const world = await withNodes('a');
        const pools = [{ ...allGoes, disruption: { ...allGoes.disruption, budgets: [{ nodes: '0' }] } }];
        world.objects = { ...world.objects, pools };
        return { world };
      },
    },
  ],
  Unconsolidatable: { hint: DISRUPT, begin: async () => ({ world: await withNodes('a', [aSmallPod('a')]) }) },
  ConsolidationCandidate: {
    hint: DISRUPT,
    begin: async () => ({ world: await withNodes('ab', [aSmallPod('a'), aSmallPod('b')]) }),
  },
  ConsolidationApproved: {
    hint: DISRUPT,
    async begin() {
      const world = await withNodes('ab', [aSmallPod('a'), aSmallPod('b')]);
      const { disruption } = allGoes;
      const pools = [{ ...allGoes, disruption: { ...disruption, policy: 'Balanced' as const } }];
      world.objects = { ...world.objects, pools };
      return { world };
    },
    run: disruptTwice,
  },
  ConsolidationRejected: {
    ...replacement,
    async run({ handle }, world) {
      await handle(DISRUPT);
      world.now += 15 * SECOND_MS;
      const other = replacedBy('other');
      await world.ports.commands.add({ ...other, candidates: [NAME], validatedAt: world.now });
      await handle(DISRUPT);
    },
  },
  MoveBackPrevented: {
    ...replacement,
    async run({ ports, handle }, world) {
      await handle(DISRUPT);
      const stored = await world.ports.nodeClaims.find(NAME);
      if (!stored) throw new Error(`no claim ${NAME}`);
      const annotations = { 'mortise.sh/replaced-instance-types': 'm7i.large' };
      const requests = resources(0.5, 1, { pods: 1 });
      await world.ports.nodeClaims.save({ ...stored.claim, annotations, requests }, stored.version);
      world.now += 15 * SECOND_MS;
      // No decision of this release proposes such a move: this one ignores what nodes remember.
      await reconcileDisruption(ports, (input, id) => {
        const claims = input.snapshot.claims.map((claim) => ({ ...claim, annotations: {} }));
        return decideDisruption({ ...input, snapshot: { ...input.snapshot, claims } }, id);
      });
    },
  },
  NodeRepairBlocked: {
    hint: SWEEP,
    async begin() {
      const world = aFakeWorld();
      const since = NOON - 60 * MINUTE_MS;
      const troubles = [{ condition: 'Ready', status: 'False', since } as const];
      const unwell = { ready: false, createdAt: NOON - DAY_MS, troubles };
      for (const name of ['a', 'b', 'c']) await addRunning(world, name, {}, unwell);
      return { world, ports: { settings: { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, NodeRepair: true } } } };
    },
  },
  RebootObserved: claimStory({ reboots: [ISSUED_REBOOT] }, { bootId: 'boot-2' }),
  RebootFailed: claimStory({ reboots: [ISSUED_REBOOT] }, { bootId: 'boot-1' }, 20 * MINUTE_MS),
  FailedDraining: { hint: CLAIM, begin: async () => ({ world: await withBlockedDrain() }) },
  TerminationGracePeriodExpiring: {
    hint: CLAIM,
    async begin() {
      const world = await withClaim({ deletingAt: NOON, removal: 'Requested', drainDeadline: NOON + MINUTE_MS });
      world.objects = { ...world.objects, pods: [aRunningPod(NAME)] };
      return { world };
    },
  },
  AwaitingVolumeDetachment: {
    hint: CLAIM,
    async begin() {
      const draining = { deletingAt: NOON, drainingAt: NOON, drainedAt: NOON } as const;
      const world = await withClaim({ ...draining, removal: 'Requested' });
      world.volumes.set(NAME, [{ name: 'csi-1', claim: 'default/data' }]);
      return { world };
    },
  },
  Evicted: { hint: CLAIM, begin: async () => ({ world: await withDeletedClaim() }) },
  Disrupted: {
    hint: CLAIM,
    async begin() {
      const world = await withClaim({ deletingAt: NOON, removal: 'Requested', drainDeadline: NOON });
      world.objects = { ...world.objects, pods: [aRunningPod(NAME)] };
      return { world };
    },
  },
  DeploymentRestarted: { hint: CLAIM, begin: async () => ({ world: await withBlockedDrain(restart) }) },
  DeploymentNotRestarted: {
    hint: CLAIM,
    async begin() {
      const world = await withBlockedDrain(restart);
      const why = 'its owner is no Deployment';
      return {
        world,
        ports: { cluster: { ...world.ports.cluster, restartOwner: async () => ({ outcome: 'refused', why }) } },
      };
    },
  },
  DoNotDisruptUntil: annotationStory('15m'),
  DoNotDisruptGracePeriodElapsed: annotationStory('8m'),
  InvalidDoNotDisruptAnnotation: annotationStory('for now'),
  ZonalShiftActive: shiftStory(),
  ZonalShiftCleared: shiftStory(),
};
