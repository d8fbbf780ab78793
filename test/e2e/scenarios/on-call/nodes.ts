import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { entriesOf, listAt, textAt, valueAt } from '../../lab/json.ts';
import type { Lab } from '../../lab/start-lab.ts';
import { waitUntil } from '../../lab/wait-until.ts';
import { type ClaimView, expect, type Scenario, type World } from '../../scenario.ts';
import { notify } from '../interruption.ts';
import { CLAIMS, isTrue, POOLS, situation, timeUntilTold } from './views.ts';
import { LARGE_TYPES } from './waiting-pods.ts';

const DO_NOT_DISRUPT = { 'karpenter.sh/do-not-disrupt': 'true' };
const NODES = '/api/v1/nodes';

/** A budget that never allows an eviction of the pods of the Deployment `guarded`. */
async function guard(lab: Lab, world: World): Promise<void> {
  await lab.kubectl(['apply', '-f', '-'], {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: world.id, name: 'guarded' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'guarded' } } },
  });
}

async function release(lab: Lab, world: World): Promise<void> {
  const patch = '{"spec":{"maxUnavailable":1}}';
  await lab.kubectl(['patch', 'pdb', 'guarded', '-n', world.id, '--type', 'merge', '-p', patch]);
}

const findClaimOf = (world: World, pod: string): Promise<ClaimView> =>
  waitUntil(`the claim of the pod ${pod}`, async () => {
    const running = (await world.pods()).find(({ name, isEnding }) => name.startsWith(pod) && !isEnding);
    return (await world.claims()).find((one) => one.node !== '' && one.node === running?.node);
  });

const waitForEnd = (world: World, claim: string): Promise<unknown> =>
  waitUntil(`the end of ${claim}`, async () => (await world.claims()).every(({ name }) => name !== claim), {
    timeoutMs: 120_000,
  });

const blockedDrain = situation('drain', 'a drain that can never finish says so at once', async (lab, world, views) => {
  await world.pool({ instanceTypes: LARGE_TYPES });
  await guard(lab, world);
  await world.deployment('guarded', 1, { cpu: '200m' });
  await world.deployment('free', 1, { cpu: '200m' });
  await world.waitForRunning(2);
  const claim = await findClaimOf(world, 'guarded');
  const start = performance.now();
  await lab.kubectl(['delete', 'nodeclaim', claim.name, '--wait=false']);
  const cause = /guarded.*never allows an eviction/;
  const fix = `kubectl patch poddisruptionbudget guarded -n ${world.id}`;
  const measures = await timeUntilTold(start, [
    views.event('Evicted', 'Pod', 'free-', /./),
    { ...views.event('FailedDraining', 'Pod', 'guarded-', cause), name: 'eventPodBlocked' },
    views.event('FailedDraining', 'NodeClaim', claim.name, cause),
    views.event('FailedDraining', 'Node', claim.node, cause),
    views.condition(`${CLAIMS}/${claim.name}`, cause),
    views.explain('node', claim.node, new RegExp(`guarded[\\s\\S]*${fix}[\\s\\S]*Nothing happens until`)),
    views.console('node', claim.node, cause),
    views.doctor(cause),
  ]);
  const fixedAt = performance.now();
  await release(lab, world);
  await waitForEnd(world, claim.name);
  return { ...measures, fixedMs: Math.round(performance.now() - fixedAt) };
});

const ROLLOUT_MS = 120_000;

const rollout = situation(
  'rollout',
  'a rollout behind a budget counts the blocked node apart, in all views alike',
  async (lab, world, views) => {
    await world.pool({ instanceTypes: LARGE_TYPES, labels: { release: 'one' } });
    await guard(lab, world);
    await world.deployment('guarded', 1, { cpu: '1500m' });
    await world.deployment('web', 2, { cpu: '1500m' });
    await world.waitForRunning(3);
    const claim = await findClaimOf(world, 'guarded');
    const path = `${POOLS}/${world.id}`;
    const start = performance.now();
    await world.pool({ instanceTypes: LARGE_TYPES, labels: { release: 'two' } });
    const begun = await timeUntilTold(start, [
      views.condition(path, /^RolloutComplete False .*to replace/m),
      views.explain('nodepool', world.id, /rollout +\d+ nodes? to replace/),
      views.event('Drifted', 'NodeClaim', `${world.id}-`, /./),
    ]);
    // Complete means that no claim has drifted, at every moment.
    const isConsistent = async (): Promise<boolean> => {
      const [pool, claims] = await Promise.all([lab.kube.get(path), lab.kube.list(CLAIMS)]);
      const drifted = claims.some(
        (one) => textAt(one, 'metadata', 'labels', 'karpenter.sh/nodepool') === world.id && isTrue(one, 'Drifted'),
      );
      return !(drifted && isTrue(pool, 'RolloutComplete'));
    };
    await waitUntil(
      'the other nodes',
      async () => {
        expect(await isConsistent(), 'RolloutComplete is True while a claim is drifted');
        const names = (await world.claims()).map(({ name }) => name);
        return names.length === 3 && names.includes(claim.name) && (await countOld(lab, world)) === 1;
      },
      { timeoutMs: ROLLOUT_MS, everyMs: 500 },
    );
    const blocked = new RegExp(`1 of 1 is blocked: .*guarded.* \\(${claim.name}\\)`);
    const named = await timeUntilTold(performance.now(), [
      { ...views.condition(path, blocked), name: 'blockedCondition' },
      { ...views.explain('nodepool', world.id, blocked), name: 'blockedExplain' },
      { ...views.console('nodepool', world.id, blocked), name: 'blockedConsole' },
    ]);
    const fixedAt = performance.now();
    await release(lab, world);
    await waitForEnd(world, claim.name);
    return { ...begun, ...named, fixedMs: Math.round(performance.now() - fixedAt) };
  },
);

const countOld = async (lab: Lab, world: World): Promise<number> =>
  (await lab.kube.list(NODES)).filter(
    (node) =>
      textAt(node, 'metadata', 'labels', 'karpenter.sh/nodepool') === world.id &&
      textAt(node, 'metadata', 'labels', 'release') === 'one',
  ).length;

const notReady = situation('not-ready', 'a node whose kubelet stopped is named first', async (lab, world, views) => {
  await world.pool({ instanceTypes: LARGE_TYPES });
  await world.deployment('web', 1);
  await world.waitForRunning(1);
  const { node, name } = await findClaimOf(world, 'web');
  const conditions = listAt(await lab.kube.get(`${NODES}/${node}`), 'status', 'conditions');
  const failing = {
    status: 'False',
    reason: 'KubeletNotReady',
    message: 'container runtime is down',
    lastTransitionTime: new Date().toISOString(),
  };
  const setReady = (fields: object): Promise<void> =>
    lab.kube.patch(`${NODES}/${node}/status`, {
      status: {
        conditions: conditions.map((one) =>
          textAt(one, 'type') === 'Ready' ? { ...Object.fromEntries(entriesOf(one)), ...fields } : one,
        ),
      },
    });
  const start = performance.now();
  await setReady(failing);
  const cause = /NotReady since .*KubeletNotReady/;
  const measures = await timeUntilTold(start, [
    views.explain('node', node, cause),
    views.explain('nodeclaim', name, cause),
    views.console('node', node, /NotReady since/),
    views.doctor(cause),
  ]);
  await setReady({});
  return measures;
});

const terminated = situation(
  'terminated',
  'an instance that was terminated in EC2 is named as the cause',
  async (lab, world, views) => {
    await world.pool({ instanceTypes: LARGE_TYPES });
    await world.deployment('web', 1);
    await world.waitForRunning(1);
    const claim = await findClaimOf(world, 'web');
    const start = performance.now();
    const instance = claim.providerId.split('/').at(-1) ?? '';
    await lab.cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [instance] }));
    await notify(lab, 'EC2 Instance State-change Notification', claim.providerId, {
      state: 'shutting-down',
    });
    const cause = /The instance of .* ends/;
    const measures = await timeUntilTold(start, [
      views.event('InstanceTerminating', 'NodeClaim', claim.name, cause),
      views.explain('nodeclaim', claim.name, /InstanceGone|instance_terminated/),
    ]);
    await waitForEnd(world, claim.name);
    return measures;
  },
);

const doNotDisrupt = situation(
  'annotated',
  'a node that do-not-disrupt keeps names the pod, and the change that helps',
  async (_lab, world, views) => {
    await world.pool({
      instanceTypes: ['m5.xlarge'],
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '0s',
    });
    const start = performance.now();
    await world.deployment('kept', 1, { annotations: DO_NOT_DISRUPT });
    await world.waitForRunning(1);
    const { node } = await findClaimOf(world, 'kept');
    const runningMs = Math.round(performance.now() - start);
    const annotation = /kept-.* carries do-not-disrupt/;
    return {
      runningMs,
      ...(await timeUntilTold(performance.now(), [
        views.explain('node', node, /kept-.* carries do-not-disrupt[\s\S]*kubectl annotate pod/),
        views.console('node', node, annotation),
      ])),
    };
  },
);

const deletedPool = situation(
  'deleted-pool',
  'a node of a deleted NodePool that cannot leave says so, and costs no more than its bound',
  async (lab, world, views) => {
    await world.pool({ instanceTypes: LARGE_TYPES });
    await world.deployment('kept', 1, { annotations: DO_NOT_DISRUPT });
    await world.waitForRunning(1);
    const claim = await findClaimOf(world, 'kept');
    const start = performance.now();
    await lab.kubectl(['delete', 'nodepool', world.id, '--wait=false']);
    const cause = /kept-.*do-not-disrupt/;
    const measures = await timeUntilTold(start, [
      views.event('FailedDraining', 'NodeClaim', claim.name, cause),
      views.condition(`${CLAIMS}/${claim.name}`, cause),
      views.explain('node', claim.node, /kept-[\s\S]*kubectl annotate pod/),
      views.console('node', claim.node, cause),
      views.doctor(cause),
    ]);
    const bound = valueAt(await views.readConsole('state'), 'totals', 'bound');
    const [boundUsd, costUsd] = ['hourlyUsd', 'costUsd'].map((field) => Number(valueAt(bound, field)));
    if (bound !== undefined && boundUsd !== undefined && costUsd !== undefined) {
      expect(boundUsd <= costUsd + 1e-9, `the bound is ${boundUsd}, the cost ${costUsd}`);
    }
    await lab.kubectl([...['annotate', 'pod', '-n', world.id, '-l', 'app=kept'], 'karpenter.sh/do-not-disrupt-']);
    await waitForEnd(world, claim.name);
    return measures;
  },
);

/** Situations of nodes. */
export const NODE_SITUATIONS: readonly Scenario[] = [
  blockedDrain,
  rollout,
  notReady,
  terminated,
  doNotDisrupt,
  deletedPool,
];
