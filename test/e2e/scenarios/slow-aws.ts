import { setTimeout as sleep } from 'node:timers/promises';
import { valueAt } from '../lab/json.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Measures, type Scenario } from '../scenario.ts';

const PODS = 24;
/** Longer than EC2 hides an instance in the lab. */
const HIDDEN_MS = 65_000;

export const slowEc2: Scenario = {
  name: 'EC2 answers late, launches a part, and hides new instances; no node is lost or doubled',
  id: 'slow-ec2',
  delays: ['hidden instances', 'slow fleets', 'partial fleets', 'lagging reads'],
  async run(_lab, world) {
    await world.pool({ instanceTypes: ['m5.large', 'm5a.large', 'm6i.large'] });
    const start = Date.now();
    await world.deployment('web', PODS, { cpu: '700m' });
    const before = await world.waitForRunning(PODS, 240_000);
    const runningMs = Date.now() - start;
    const nodes = new Set(before.map(({ node }) => node));
    // Every node is younger than the time for which EC2 may hide its instance.
    await sleep(HIDDEN_MS);
    const after = await world.waitForRunning(PODS);
    const lost = [...nodes].filter((node) => after.every((pod) => pod.node !== node));
    expect(lost.length === 0, `nodes were lost: ${lost.join(', ')}`);
    await world.waitForNodes((await world.claims()).length);
    return { runningMs, nodes: nodes.size };
  },
};

export const newNodeClass: Scenario = {
  name: 'a new EC2NodeClass waits until EC2 knows its instance profile',
  id: 'new-class',
  delays: ['propagation'],
  async run(lab) {
    const ready = await measureReadyMs(lab);
    return { readyMs: ready };
  },
};

/** EC2 knows the profile after 10 s; the next look must not take a minute. */
const MAX_READY_MS = 60_000;

async function measureReadyMs({ kubectl, kube }: Lab): Promise<Measures[string]> {
  const path = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';
  const [existing] = await kube.list(path);
  const name = 'propagating';
  const start = Date.now();
  await kubectl(['apply', '-f', '-'], {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: valueAt(existing, 'spec'),
  });
  try {
    await waitUntil(
      `the EC2NodeClass ${name}`,
      () => kubectl(['wait', `ec2nodeclass/${name}`, '--for=condition=Ready', '--timeout=1s']),
      { timeoutMs: MAX_READY_MS },
    );
    return Date.now() - start;
  } finally {
    await kubectl(['delete', 'ec2nodeclass', name, '--timeout=60s']);
  }
}
