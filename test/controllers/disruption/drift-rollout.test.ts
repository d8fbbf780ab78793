import { describe, expect, it } from 'vitest';
import { computeClassHash } from '../../../shared/api/stored-objects/static-drift.ts';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { toNodeClassState } from '../../../shared/controllers/disruption/drift.ts';
import { computeRolloutCondition } from '../../../shared/disruption/rollout/rollout-condition.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import type { Launch, NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { ResolvedNodeClass } from '../../../shared/ports/node-classes.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';
import { aWorld } from '../../simulation/support.ts';
import { aDeployment, aNodePool, aPodSpec, aPodTemplate, resources } from '../../support/builders.ts';
import { anImage, aResolvedClass } from '../../support/node-classes.ts';

const NODES = 6;
/** One pod per node of the smallest type. */
const deployment = aDeployment({
  replicas: NODES,
  template: aPodTemplate({ spec: aPodSpec({ requests: resources(1.5, 2, { pods: 1 }) }) }),
});

const aPool = (over: Partial<NodePool> = {}): NodePool =>
  aNodePool({
    requirements: [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m7i.large'] },
    ],
    disruption: { consolidateAfterMs: 'Never', policy: 'WhenEmpty', budgets: [{ nodes: '2' }] },
    ...over,
  });

interface Rollout {
  readonly world: SimWorld;
  readonly ports: Ports;
  pool: NodePool;
  nodeClass: ResolvedNodeClass;
  /** Images whose instances start but create no Node. */
  readonly broken: Set<string>;
  /** Images whose nodes became unready, with the time. */
  readonly unready: Map<string, number>;
  /** The reasons and messages that the condition RolloutComplete had, one after the other. */
  readonly progress: string[];
}

/** A cluster whose pool and class can be edited; its instances start from the class's image. */
async function aRollout(): Promise<Rollout> {
  const pool = aPool();
  const world = aWorld({ pools: [pool], workloads: [deployment] });
  const { cluster, cloud } = world.ports;
  const rollout: Omit<Rollout, 'ports'> = {
    world,
    pool,
    nodeClass: withImage('ami-1'),
    broken: new Set(),
    unready: new Map(),
    progress: [],
  };
  const imageOf = new Map<string, string>();
  const asItFares = (node: Node): Node => {
    const since = rollout.unready.get(imageOf.get(node.providerId ?? '') ?? '');
    if (since === undefined) return node;
    const troubles = [{ condition: 'Ready', status: 'Unknown', since } as const];
    return { ...node, ready: false, troubles };
  };
  const madeNow = (launch: Launch): Launch => {
    const { name, written, images, subnets, securityGroups } = rollout.nodeClass;
    const marks = computeClassHash(name, written, rollout.nodeClass.cluster.certificateAuthority);
    return {
      ...launch,
      imageId: images[0]?.id ?? '',
      subnetId: subnets[0]?.id ?? '',
      securityGroupIds: securityGroups.map(({ id }) => id),
      nodeClassHash: marks?.hash ?? '',
      nodeClassHashVersion: marks?.version ?? '',
    };
  };
  const ports: Ports = {
    ...world.ports,
    nodeClasses: { list: async () => [rollout.nodeClass] },
    cluster: {
      ...cluster,
      async observe(request) {
        const objects = await cluster.observe(request);
        return { ...objects, pools: [rollout.pool], nodes: objects.nodes.map(asItFares) };
      },
      async reportNodePool({ conditions }) {
        const condition = conditions.find(({ type }) => type === 'RolloutComplete');
        const text = `${condition?.reason}: ${condition?.message}`;
        if (rollout.progress.at(-1) !== text) rollout.progress.push(text);
      },
    },
    cloud: {
      ...cloud,
      async launch(request) {
        const answer = await cloud.launch(request);
        const launches = answer.launches.map(madeNow);
        for (const { providerId, imageId = '' } of launches) {
          imageOf.set(providerId, imageId);
          if (rollout.broken.has(imageId)) await cloud.terminate(providerId);
        }
        return { ...answer, launches };
      },
    },
  };
  world.consume((hint) => dispatch(ports, hint));
  const whole: Rollout = Object.assign(rollout, { ports });
  await run(whole, 5 * MINUTE_MS);
  return whole;
}

const withImage = (id: string): ResolvedNodeClass => aResolvedClass({ images: [anImage({ id, requirements: [] })] });

/** The values that are sampled every ten seconds. */
interface Course {
  /** The largest number of nodes that were being deleted at a time. */
  maxDeleting: number;
  /** The smallest number of nodes that were ready at a time. */
  minReady: number;
}

async function run({ world }: Rollout, ms: number): Promise<Course> {
  const course: Course = { maxDeleting: 0, minReady: Number.POSITIVE_INFINITY };
  const until = world.clock.now() + ms;
  while (world.clock.now() < until) {
    await world.clock.runUntil(world.clock.now() + 10 * SECOND_MS);
    const claims = await claimsOf(world);
    const { nodes } = await world.ports.cluster.observe();
    const going = claims.filter(({ deletingAt }) => deletingAt !== undefined).length;
    course.maxDeleting = Math.max(course.maxDeleting, going);
    course.minReady = Math.min(course.minReady, nodes.filter(({ ready }) => ready).length);
  }
  return course;
}

const claimsOf = async ({ ports }: SimWorld): Promise<readonly NodeClaim[]> =>
  (await ports.nodeClaims.list()).records
    .map(({ claim }) => claim)
    .filter(({ terminatedAt }) => terminatedAt === undefined);
const namesOf = async ({ world }: Rollout) => (await claimsOf(world)).map(({ name }) => name);
const imagesOf = async ({ world }: Rollout) => (await claimsOf(world)).flatMap(({ launch }) => launch?.imageId ?? []);
const runningPods = async ({ world }: Rollout): Promise<number> =>
  (await world.ports.cluster.observe()).pods.filter(({ phase }) => phase === 'Running').length;
const listEvents = ({ world }: Rollout, kind: string) => world.events().filter(({ event }) => event.kind === kind);

const conditionOf = async ({ world, ports, nodeClass }: Rollout) => {
  const state = toNodeClassState(nodeClass, await ports.rollouts.list());
  return state && computeRolloutCondition(state, await claimsOf(world));
};

describe('a NodePool whose template changes', () => {
  it('has all of its nodes replaced within the budget, each after its replacement is ready', async () => {
    const rollout = await aRollout();
    const before = new Set(await namesOf(rollout));
    expect(before.size).toBe(NODES);

    rollout.pool = aPool({ labels: { team: 'new' }, hash: 'hash-new' });
    const course = await run(rollout, HOUR_MS);

    const claims = await claimsOf(rollout.world);
    expect(claims.filter(({ name }) => before.has(name))).toEqual([]);
    expect(claims.map(({ poolHash }) => poolHash)).toEqual(Array(NODES).fill('hash-new'));
    expect(claims.filter(({ drift }) => drift)).toEqual([]);
    expect(course.maxDeleting).toBeLessThanOrEqual(2);
    expect(course.minReady).toBeGreaterThanOrEqual(NODES);
    expect(await runningPods(rollout)).toBe(NODES);
    expect(listEvents(rollout, 'drifted')).toHaveLength(NODES);
    expect(listEvents(rollout, 'replace-drifted')).toHaveLength(NODES);
  });

  it('shows how many nodes are still to be replaced, and how long that takes', async () => {
    const rollout = await aRollout();
    rollout.pool = aPool({ labels: { team: 'new' }, hash: 'hash-new' });
    await run(rollout, HOUR_MS);

    const [before, first, ...more] = rollout.progress;
    expect(before).toBe('RolloutComplete: ');
    expect(first).toMatch(
      /^RolloutInProgress: \d nodes to replace, \d up to date, up to \d+ nodes at a time; about \d+m to go$/,
    );
    const counts = [first, ...more.slice(0, -1)].map((text) => /: (\d+) node/.exec(text ?? '')?.[1]);
    expect(counts).toEqual(counts.toSorted().toReversed());
    expect(more.at(-1)).toBe('RolloutComplete: ');
  });

  it('waits while its budget is closed, and says until when', async () => {
    const rollout = await aRollout();
    const now = rollout.world.clock.now();
    const closed = { nodes: '0', schedule: '0 0 * * *', durationMs: 23 * HOUR_MS };
    const disruption = { ...rollout.pool.disruption, budgets: [{ nodes: '2' }, closed] };
    rollout.pool = aPool({ labels: { team: 'new' }, hash: 'hash-new', disruption });
    await run(rollout, 10 * MINUTE_MS);

    expect(new Date(now).getUTCHours()).toBe(12);
    expect(rollout.progress.at(-1)).toMatch(
      /^RolloutWaits: 6 nodes to replace, 0 up to date, up to \d+ nodes at a time; goes on at \S+T23:00:00Z, about 11h\d*m? to go$/,
    );
  });
});

describe('an EC2NodeClass whose image changes', () => {
  it('has all of its nodes replaced, and none once it returns to the old image', async () => {
    const rollout = await aRollout();
    rollout.nodeClass = withImage('ami-2');
    await run(rollout, MINUTE_MS);
    const marked = (await claimsOf(rollout.world)).filter(({ drift }) => drift);
    expect(new Set(marked.map(({ drift }) => drift?.reason))).toEqual(new Set(['AMIDrift']));

    await run(rollout, HOUR_MS);
    expect(await imagesOf(rollout)).toEqual(Array(NODES).fill('ami-2'));
    expect(await conditionOf(rollout)).toMatchObject({ status: 'True' });
  });

  it('keeps its old nodes while the new image creates no Node, and continues once it does', async () => {
    const rollout = await aRollout();
    const before = await namesOf(rollout);
    rollout.broken.add('ami-bad');
    rollout.nodeClass = withImage('ami-bad');
    const course = await run(rollout, 2 * HOUR_MS);

    expect((await namesOf(rollout)).toSorted()).toEqual(before.toSorted());
    expect(await imagesOf(rollout)).toEqual(Array(NODES).fill('ami-1'));
    expect(course.minReady).toBe(NODES);
    expect(await runningPods(rollout)).toBe(NODES);
    // One replacement was tried, and no second.
    expect(listEvents(rollout, 'replace-drifted')).toHaveLength(1);
    expect(listEvents(rollout, 'rollout-stopped')).toHaveLength(1);
    expect(rollout.progress.at(-1)).toMatch(
      /^RolloutStopped: 6 nodes to replace, 0 up to date; stopped: general-\w+ did not register/,
    );
    const condition = await conditionOf(rollout);
    expect(condition).toMatchObject({
      type: 'RolloutHealthy',
      status: 'False',
      reason: 'RolloutStopped',
    });
    expect(condition?.message).toMatch(
      /^general-\w+ did not register within \d+[ms].*; until a node of it is ready, 6 nodes will not be replaced$/,
    );

    rollout.nodeClass = withImage('ami-3');
    await run(rollout, HOUR_MS);
    expect(await imagesOf(rollout)).toEqual(Array(NODES).fill('ami-3'));
    expect(await conditionOf(rollout)).toMatchObject({ status: 'True' });
  });

  it('keeps the remaining old nodes if nodes of the new image fail after they were ready', async () => {
    const rollout = await aRollout();
    rollout.nodeClass = withImage('ami-2');
    while ((await imagesOf(rollout)).filter((image) => image === 'ami-2').length < 2) {
      await run(rollout, 10 * SECOND_MS);
    }
    rollout.unready.set('ami-2', rollout.world.clock.now());
    await run(rollout, 10 * MINUTE_MS);
    const remaining = (await imagesOf(rollout)).filter((image) => image === 'ami-1').length;
    expect(remaining).toBeGreaterThanOrEqual(NODES - 3);
    expect(listEvents(rollout, 'rollout-stopped')).toHaveLength(1);
    expect(await conditionOf(rollout)).toMatchObject({ status: 'False', reason: 'RolloutStopped' });
    await run(rollout, HOUR_MS);
    expect((await imagesOf(rollout)).filter((image) => image === 'ami-1')).toHaveLength(remaining);

    rollout.unready.clear();
    await run(rollout, HOUR_MS);
    expect(new Set(await imagesOf(rollout))).toEqual(new Set(['ami-2']));
    expect(listEvents(rollout, 'rollout-resumed')).toHaveLength(1);
  });

  it('continues when a node for pending pods shows that the image works', async () => {
    const rollout = await aRollout();
    rollout.broken.add('ami-2');
    rollout.nodeClass = withImage('ami-2');
    await run(rollout, 30 * MINUTE_MS);
    rollout.broken.clear();
    rollout.world.userActions.scale(
      { kind: 'Deployment', namespace: deployment.namespace, name: deployment.name },
      NODES + 1,
    );
    await run(rollout, HOUR_MS);

    expect(listEvents(rollout, 'rollout-resumed')).toHaveLength(1);
    expect(await imagesOf(rollout)).toEqual(Array(NODES + 1).fill('ami-2'));
  });
});
