import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { watchRepeatedly } from '../lab/watch-repeatedly.ts';
import { type ClaimView, expect, type Scenario, type World } from '../scenario.ts';

const POOL = { instanceTypes: ['m5.large', 'm5a.large', 'm6i.large'], consolidateAfter: '1m' };
const RELEASE = { release: 'second' };
/** The default budget of a NodePool: 10 %. */
const BUDGET_SHARE = 0.1;
const MAX_EVICTIONS_PER_POD = 1.3;
const MAX_WAIT_MS = 480_000;
const PAUSE_MS = 250;

const REPLICAS = { web: 48, worker: 36, cache: 6 } as const;
const PODS = REPLICAS.web + REPLICAS.worker + REPLICAS.cache;

export const rollout: Scenario = {
  name: 'the template of thirty nodes changes: each is replaced by one, within the budget',
  id: 'rollout',
  async run(lab, world) {
    await world.pool(POOL);
    await deployWorkloads(lab, world);
    await world.waitForRunning(PODS, MAX_WAIT_MS);
    const before = (await world.claims()).length;
    const started = new Set((await world.pods()).map(({ name }) => name));
    let peak = before;
    const watch = watchRepeatedly(async () => {
      peak = Math.max(peak, (await world.instances()).length);
    }, PAUSE_MS);

    const old = new Set((await world.claims()).map(({ name }) => name));
    const start = Date.now();
    await world.pool({ ...POOL, labels: RELEASE });
    const after = await waitForReplacement(world, old);
    const rolloutMs = Date.now() - start;
    await watch.end();
    await world.waitForRunning(PODS);
    const created = [...lab.nodes.pods.keys()]
      .filter((key) => key.startsWith(`${world.id}/`))
      .filter((key) => !started.has(key.slice(world.id.length + 1))).length;

    const allowed = Math.ceil(before * BUDGET_SHARE);
    expect(peak <= before + allowed + 1, `${peak} nodes at the peak, ${before} before`);
    expect(after.length <= Math.max(before + 1, 1.1 * before), `${after.length} nodes at the end`);
    expect(created <= MAX_EVICTIONS_PER_POD * PODS, `${created} pods made for ${PODS}`);
    return { nodesBefore: before, peakNodes: peak, nodesAfter: after.length, created, rolloutMs };
  },
};

async function deployWorkloads({ kubectl }: Lab, world: World): Promise<void> {
  const selector = (app: string) => ({ matchLabels: { app } });
  const spread = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: selector('web'),
  };
  const apart = { topologyKey: 'kubernetes.io/hostname', labelSelector: selector('cache') };
  await kubectl(['apply', '-f', '-'], {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: world.id, name: 'web' },
    spec: { maxUnavailable: 6, selector: selector('web') },
  });
  await world.deployment('web', REPLICAS.web, {
    cpu: '500m',
    spec: { topologySpreadConstraints: [spread] },
  });
  await world.deployment('worker', REPLICAS.worker, { cpu: '450m' });
  await world.deployment('cache', REPLICAS.cache, {
    cpu: '300m',
    spec: {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } },
    },
  });
}

const waitForReplacement = (world: World, old: ReadonlySet<string>): Promise<readonly ClaimView[]> =>
  waitUntil(
    'the end of the rollout',
    async () => {
      const claims = await world.claims();
      return claims.every(({ name }) => !old.has(name)) && claims;
    },
    { timeoutMs: MAX_WAIT_MS, everyMs: 500 },
  );
