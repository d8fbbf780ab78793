import { setTimeout as sleep } from 'node:timers/promises';
import { PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { type LabHint, sendHints } from '../lab/aws/send-hints.ts';
import { textAt } from '../lab/json.ts';
import type { HookFault } from '../lab/kubernetes/hook-proxy.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Measures, type Scenario, type World } from '../scenario.ts';

const MINUTE_MS = 60_000;

export const apiServerDown: Scenario = {
  name: 'the API server is unreachable for a minute',
  id: 'api-down',
  async run(lab, world) {
    await world.pool();
    await world.deployment('web', 2);
    await world.waitForRunning(2);
    const before = await world.instances();

    await lab.controlPlane.stopApiServer();
    await sleep(MINUTE_MS);
    const during = await world.instances();
    expect(
      before.every((id) => during.includes(id)),
      'an instance was ended for want of an answer',
    );
    await lab.controlPlane.startApiServer();
    const start = Date.now();
    await world.deployment('more', 3, { cpu: '1500m' });
    // The controllers of Kubernetes and its scheduler reconnect within about a minute.
    await waitUntil('the scheduler to look at a pod', () => areMarked(lab, world, 3), {
      everyMs: 100,
      timeoutMs: 180_000,
    });
    const judgedMs = Date.now() - start;
    await world.waitForRunning(5, 60_000);
    return { judgedMs, servedAfterJudgedMs: Date.now() - start - judgedMs };
  },
};

export const redelivery: Scenario = {
  name: 'every message comes again, in any order',
  id: 'again',
  async run(lab, world) {
    await world.pool();
    await world.deployment('web', 3);
    await world.waitForRunning(3);
    const before = await counts(world);
    const [claim] = await world.claims();
    const hints: readonly LabHint[] = [
      { topic: 'class' },
      { topic: 'sweep' },
      { topic: 'claim', ...(claim && { claim: claim.name }) },
      { topic: 'plan' },
    ];
    for (let round = 0; round < 10; round += 1) await sendHints(lab.cloud, hints);
    await sleep(10_000);
    const after = await counts(world);
    expect(after === before, `${before} before, ${after} after`);
    return { messages: 10 * hints.length };
  },
};

const counts = async (world: World): Promise<string> =>
  `${(await world.instances()).length} instances, ${(await world.claims()).length} claims`;

export const hookRefused: Scenario = {
  name: 'the hook refuses connections, and the sweep finds the pods',
  id: 'hook-refused',
  run: (lab, world) => withDeafHook(lab, world, 'refuse'),
};

export const hookSwallows: Scenario = {
  name: 'the hook never answers: the scheduler is as fast, the sweep finds the pods, the breaker opens',
  id: 'hook-silent',
  async run(lab, world) {
    const measures = await withDeafHook(lab, world, 'swallow');
    const start = Date.now();
    // Minutes before the webhooks were installed do not count, so the metric is sent until three
    // later ones exist.
    await waitUntil(
      'the end of the hooks',
      async () => {
        await reportSlowHooks(lab);
        return !(await hasHooks(lab));
      },
      { timeoutMs: 300_000, everyMs: 5_000 },
    );
    return { ...measures, openedMs: Date.now() - start };
  },
};

/**
 * Checks that kube-scheduler marks all pods at once, whatever the endpoint of the Events webhook
 * does.
 */
async function withDeafHook(lab: Lab, world: World, fault: HookFault): Promise<Measures> {
  await world.pool();
  await sleep(1_000);
  lab.hooks.fault(fault);
  try {
    const pods = 30;
    const start = Date.now();
    await world.deployment('web', pods, { cpu: '100m' });
    await waitUntil('all pods to be marked', () => areMarked(lab, world, pods), {
      everyMs: 100,
      timeoutMs: 30_000,
    });
    const markedMs = Date.now() - start;
    expect(markedMs < 10_000, `the scheduler took ${markedMs} ms for ${pods} pods`);
    await world.waitForRunning(pods, 150_000);
    return { markedMs, runningMs: Date.now() - start };
  } finally {
    lab.hooks.fault('none');
  }
}

/** True if `pods` pods were marked as unschedulable or bound. */
async function areMarked(lab: Lab, world: World, pods: number): Promise<boolean> {
  const listed = await lab.kube.list(`/api/v1/namespaces/${world.id}/pods`);
  const judged = listed.filter(
    (pod) => JSON.stringify(pod).includes('"PodScheduled"') || textAt(pod, 'spec', 'nodeName') !== '',
  );
  return judged.length >= pods;
}

/**
 * Publishes the metric that EKS reports for an endpoint that never answers: three minutes at the
 * timeout.
 */
async function reportSlowHooks({ cloud }: Lab): Promise<void> {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const minutes = [3, 2, 1].map((ago) => new Date(now - ago * MINUTE_MS));
  await cloud.cloudWatch.send(
    new PutMetricDataCommand({
      Namespace: 'AWS/EKS',
      MetricData: minutes.map((Timestamp) => ({
        MetricName: 'apiserver_admission_webhook_admission_duration_seconds_VALIDATING_P99',
        Dimensions: [{ Name: 'ClusterName', Value: CLUSTER }],
        Timestamp,
        Value: 0.99,
        Unit: 'Seconds',
      })),
    }),
  );
}

export async function hasHooks({ kube }: Lab): Promise<boolean> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  return (await kube.list(path)).some((one) => textAt(one, 'metadata', 'name') === 'mortise');
}
