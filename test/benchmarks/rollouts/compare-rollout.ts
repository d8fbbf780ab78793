import { fileURLToPath } from 'node:url';
import { playDemo } from '../../../cli/demo/script.ts';
import { readClusterManifests } from '../../../cli/manifests/cluster-manifests.ts';
import { createSimulatedCluster, STARTS_AT } from '../../../cli/playground/simulated-cluster.ts';
import { processIo } from '../../../cli/terminal/io.ts';
import type { ClusterManifests } from '../../../shared/api/manifests/cluster-manifests.ts';
import { observeCluster } from '../../../shared/controllers/observe-cluster.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { BilledNode, SimWorld } from '../../../shared/simulation/world.ts';
import { planRepacked } from '../../../shared/what-if/repacked-price.ts';
import { percentile } from '../weeks/run-week.ts';
import { createRandomCluster } from './random-cluster.ts';
import type { RolloutChange, RolloutFigures } from './rollout-figures.ts';

const FOR_MS = 3 * HOUR_MS;
/** When the templates change. The busy hour of the large example is the sixth. */
const CHANGES_AFTER_MS: Readonly<Record<string, number>> = {
  demo: 13 * MINUTE_MS,
  'day-of-5000-pods': 5 * HOUR_MS,
};
const DEFAULT_CHANGES_AFTER_MS = HOUR_MS;
/** The cost of a node besides its instance, in USD per hour. */
const PER_NODE_USD = 0.03;
const SHORT_LIFE_MS = 10 * MINUTE_MS;

const ROOT = new URL('../../../', import.meta.url);
/** `random-7` is a cluster that is drawn from the seed 7. */
const RANDOM = /^random-(?<seed>\d+)$/;

interface Cluster {
  readonly name: string;
  readonly manifests: ClusterManifests;
  readonly changesAt: EpochMs;
}

async function readCluster(name: string): Promise<Cluster> {
  const seed = RANDOM.exec(name)?.groups?.seed;
  if (seed !== undefined) return { name, manifests: createRandomCluster(Number(seed)), changesAt: STARTS_AT + HOUR_MS };
  const folder = fileURLToPath(new URL(name === 'demo' ? 'cli/demo/' : `examples/${name}/`, ROOT));
  const manifests = await readClusterManifests([folder], { recursive: true, io: processIo() });
  const changesAt = STARTS_AT + (CHANGES_AFTER_MS[name] ?? DEFAULT_CHANGES_AFTER_MS);
  return { name, manifests, changesAt };
}

/** A cluster at the moment of the change; the demo plays no further scene. */
async function startCluster({ name, manifests, changesAt }: Cluster): Promise<SimWorld> {
  const world = createSimulatedCluster(manifests, 1);
  if (name === 'demo') playDemo(world);
  await world.clock.runUntil(changesAt - 1);
  if (name === 'demo') world.userActions.multiplySpotPrices(1);
  await world.clock.runUntil(changesAt);
  return world;
}

const listNodes = ({ ledger }: SimWorld) => ledger.billedNodes.filter(({ removedAt }) => removedAt === undefined);

interface Fleet {
  readonly nodes: number;
  readonly hourlyUsd: number;
}

function describeFleet(world: SimWorld): Fleet {
  const nodes = listNodes(world);
  return { nodes: nodes.length, hourlyUsd: nodes.reduce((sum, one) => sum + one.hourlyUsd, 0) };
}

async function planFleet(world: SimWorld): Promise<Fleet> {
  const { claims, hourlyUsd, unplaced } = planRepacked(await observeCluster(world.ports));
  if (unplaced.length > 0) throw new Error(`${unplaced[0]?.pods[0]} has no place in a new plan`);
  return { nodes: claims.length, hourlyUsd };
}

/** A cluster without nodes has the price of one node: Jobs may be done. */
const computePrice = ({ nodes, hourlyUsd }: Fleet): number => hourlyUsd + PER_NODE_USD * nodes || PER_NODE_USD;

function changePools(world: SimWorld, change: RolloutChange): void {
  for (const { name, requirements } of world.pools()) {
    const families = listNodes(world)
      .filter(({ pool }) => pool === name)
      .map(({ instanceType }) => instanceType.split('.')[0] ?? '');
    const [mostUsed] = [...Map.groupBy(families, (family) => family)].toSorted(([, a], [, b]) => b.length - a.length);
    if (change === 'label') world.userActions.changeTemplate(name);
    else if (mostUsed)
      world.userActions.changeTemplate(name, [
        ...requirements,
        { key: 'karpenter.k8s.aws/instance-family', operator: 'NotIn', values: [mostUsed[0]] },
      ]);
  }
}

/** The most nodes that the budgets let leave at the same time. */
const countAllowed = (pools: readonly NodePool[], nodes: readonly BilledNode[]): number =>
  pools.reduce((sum, { name, disruption }) => {
    const total = nodes.filter(({ pool }) => pool === name).length;
    const limits = disruption.budgets.map(({ nodes: limit }) => resolveLimit(limit, total));
    return sum + Math.min(total, ...limits);
  }, 0);

const resolveLimit = (limit: string, total: number): number =>
  limit.endsWith('%') ? Math.ceil((Number.parseInt(limit, 10) / 100) * total) : Number(limit);

/** The time that pods waited which started after `from` others had. */
const computeWait = ({ ledger }: SimWorld, from: number): number =>
  percentile(
    ledger.waitsMs.slice(from).toSorted((a, b) => a - b),
    0.99,
  );

/**
 * Changes every NodePool of the demo, of an example or of a random cluster, beside a cluster without the
 * change.
 */
export async function compareRollout(name: string, change: RolloutChange = 'label'): Promise<RolloutFigures> {
  const cluster = await readCluster(name);
  const { changesAt } = cluster;
  const unchanged = await startCluster(cluster);
  const startedBefore = unchanged.ledger.waitsMs.length;
  await unchanged.clock.runUntil(changesAt + FOR_MS);

  const world = await startCluster(cluster);
  const before = listNodes(world);
  const old = new Set(before.map(({ claim }) => claim));
  changePools(world, change);
  await world.clock.runUntil(changesAt + FOR_MS);
  const expected = change === 'label' ? describeFleet(unchanged) : await planFleet(world);

  const { billedNodes, points, evictions } = world.ledger;
  const leaving = billedNodes.filter(({ claim }) => old.has(claim));
  const endsAt: EpochMs = Math.max(changesAt, ...leaving.map(({ removedAt = Infinity }) => removedAt));
  const during = points.filter(({ at }) => at >= changesAt && at <= endsAt);
  const pods = before.reduce((sum, one) => sum + one.pods.length, 0);
  const shortLived = billedNodes.filter(
    ({ launchedAt, removedAt = Infinity, removal, pods: held }) =>
      launchedAt >= changesAt && removedAt - launchedAt < SHORT_LIFE_MS && removal !== 'Interrupted' && held.length > 0,
  );
  return {
    name,
    nodesBefore: before.length,
    nodes: listNodes(world).length,
    nodesExpected: expected.nodes,
    peakNodes: Math.max(before.length, ...during.map(({ nodes }) => nodes)),
    allowedPeak: before.length + countAllowed(world.pools(), before) + 1,
    waitMs: computeWait(world, startedBefore),
    waitUnchangedMs: computeWait(unchanged, startedBefore),
    priceRatio: computePrice(describeFleet(world)) / computePrice(expected),
    evictionsPerPod: (evictions - unchanged.ledger.evictions) / Math.max(1, pods),
    shortLived: shortLived.length,
    ...(endsAt < Infinity && { minutes: (endsAt - changesAt) / MINUTE_MS }),
  };
}
