import { setTimeout as sleep } from 'node:timers/promises';
import { deploy } from '../lab/aws/deploy.ts';
import { checkOutPreviousRelease } from '../lab/previous-release.ts';
import type { Lab } from '../lab/start-lab.ts';
import { expect, type Scenario, type World } from '../scenario.ts';

const POOL = { instanceTypes: ['m5.large'] };
/** One node more than run before a deployment. */
const limitTo = (nodes: number) => ({ ...POOL, limits: { cpu: `${2 * nodes}` } });
/** The deployment has begun to replace functions. */
const INTO_DEPLOYMENT_MS = 4_000;
const MAX_WAIT_MS = 180_000;
/** Each node has room for one of these pods. */
const POD = { cpu: '1200m' };

export const updateAndRollBack: Scenario = {
  name: 'the stack is rolled back to the previous release and updated again while pods wait',
  id: 'update',
  async run(lab, world) {
    const previous = await checkOutPreviousRelease(lab.folder);
    await world.pool(limitTo(1));
    await world.deployment('web', 1, POD);
    await world.waitForRunning(1);
    const rolledBackMs = await deployWhilePodsWait(lab, world, 1, previous.folder);
    const updatedMs = await deployWhilePodsWait(lab, world, 3);
    return { previous: previous.revision, rolledBackMs, updatedMs };
  },
};

/**
 * Deploys a version while one pod waits for the pool's limit; another is created during the
 * deployment. All nodes and pods that ran before must run afterwards, and the new pods too.
 *
 * @param nodes - the number of nodes before
 * @param sources - the version; by default the current one
 * @returns the time from the end of the deployment until all pods run
 */
async function deployWhilePodsWait(lab: Lab, world: World, nodes: number, sources?: string): Promise<number> {
  const before = await observe(world);
  await world.scale('web', nodes + 1);
  const deploying = deploy(lab, {}, sources);
  await Promise.all([deploying, createPodMeanwhile(world, nodes)]);
  const start = Date.now();
  await world.pool(limitTo(nodes + 2));
  await world.waitForRunning(nodes + 2, MAX_WAIT_MS);
  await world.waitForNodes(nodes + 2);
  const servedMs = Date.now() - start;
  const after = new Set(await observe(world));
  const lost = before.filter((one) => !after.has(one));
  expect(lost.length === 0, `the deployment lost ${lost.join(', ')}`);
  return servedMs;
}

async function createPodMeanwhile(world: World, nodes: number): Promise<void> {
  await sleep(INTO_DEPLOYMENT_MS);
  await world.pool(limitTo(nodes + 1));
  await world.scale('web', nodes + 2);
}

/** Lists what must survive: running pods with their nodes, claims and instances. */
async function observe(world: World): Promise<readonly string[]> {
  const [pods, claims, instances] = await Promise.all([world.pods(), world.claims(), world.instances()]);
  return [
    ...pods.filter(({ isRunning }) => isRunning).map(({ name, node }) => `pod ${name} on ${node}`),
    ...claims.map(({ name, providerId }) => `claim ${name} of ${providerId}`),
    ...instances.map((id) => `instance ${id}`),
  ];
}
