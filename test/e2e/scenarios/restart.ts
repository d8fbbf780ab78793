import { listAt, textAt, valueAt } from '../lab/json.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { watchRepeatedly } from '../lab/watch-repeatedly.ts';
import { type ClaimView, expect, type Scenario, type World } from '../scenario.ts';

const RESTART = { 'mortise.sh/restart-when-blocked': 'true' };
/** The first revision, and one restart. */
const RESTARTED_ONCE = '2';
const MAX_WAIT_MS = 300_000;
const PAUSE_MS = 50;
const POOL = { instanceTypes: ['m5.large', 'm5a.large', 'm6i.large'] };

export const restartOnDrain: Scenario = {
  name: 'a node goes whose only replica must not go: its Deployment is restarted elsewhere first',
  id: 'restart',
  async run(lab, world) {
    const claim = await runOneReplica(lab, world);
    const availability = watchReadyPods(lab, world);
    const start = Date.now();
    await lab.kubectl(['delete', 'node', claim.node, '--wait=false']);
    await waitForEnd(world, claim);
    const goneMs = Date.now() - start;
    await expectMoved(lab, world, claim);
    expect((await availability.end()) >= 1, 'for a moment no pod was ready');
    return { goneMs };
  },
};

export const restartOnDrift: Scenario = {
  name: 'a drifted node is replaced whose only replica must not go',
  id: 'restart-drift',
  async run(lab, world) {
    const claim = await runOneReplica(lab, world);
    const availability = watchReadyPods(lab, world);
    const start = Date.now();
    await world.pool({ ...POOL, labels: { team: 'search' } });
    await waitForEnd(world, claim);
    const replacedMs = Date.now() - start;
    await expectMoved(lab, world, claim);
    expect((await availability.end()) >= 1, 'for a moment no pod was ready');
    return { replacedMs };
  },
};

/**
 * Starts one replica whose budget needs it, and gives the right to restart it.
 *
 * @returns the claim of its node
 */
async function runOneReplica({ kubectl }: Lab, world: World): Promise<ClaimView> {
  const namespace = world.id;
  await world.pool(POOL);
  await kubectl(['apply', '-f', '-'], {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace, name: 'web' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
  const role = 'mortise-restart';
  await kubectl(`-n ${namespace} create role ${role} --verb=patch --resource=deployments.apps`.split(' '));
  await kubectl(`-n ${namespace} create rolebinding ${role} --role=${role} --group=mortise:node-lifecycle`.split(' '));
  await world.deployment('web', 1, { annotations: RESTART });
  await world.waitForRunning(1, MAX_WAIT_MS);
  return waitUntil('a claim with a node', async () => (await world.claims()).find(({ node }) => node !== ''));
}

const waitForEnd = (world: World, claim: ClaimView): Promise<true> =>
  waitUntil(
    `the end of ${claim.node}`,
    async () => {
      const [claims, nodes] = await Promise.all([world.claims(), world.nodes()]);
      return claims.every(({ name }) => name !== claim.name) && !nodes.includes(claim.node);
    },
    { timeoutMs: MAX_WAIT_MS, everyMs: 500 },
  );

async function expectMoved({ kube }: Lab, world: World, claim: ClaimView): Promise<void> {
  const [pod] = await world.waitForRunning(1);
  expect(pod?.node !== claim.node, 'the pod has not moved');
  const path = `/apis/apps/v1/namespaces/${world.id}/deployments/web`;
  const annotations = valueAt(await kube.get(path), 'metadata', 'annotations');
  const revision = textAt(annotations, 'deployment.kubernetes.io/revision');
  expect(revision === RESTARTED_ONCE, `the Deployment has revision ${revision}`);
}

/** Counts the ready pods until the end. @returns the smallest number */
function watchReadyPods({ kube }: Lab, { id }: World): { end(): Promise<number> } {
  let fewest = Number.POSITIVE_INFINITY;
  const watch = watchRepeatedly(async () => {
    const pods = await kube.list(`/api/v1/namespaces/${id}/pods`);
    fewest = Math.min(fewest, pods.filter(isReady).length);
  }, PAUSE_MS);
  return {
    async end() {
      await watch.end();
      return fewest;
    },
  };
}

const isReady = (pod: unknown): boolean =>
  valueAt(pod, 'metadata', 'deletionTimestamp') === undefined &&
  listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
