import { setTimeout as sleep } from 'node:timers/promises';
import { ACCESS_KEYS } from '../lab/aws/rights/senders.ts';
import { textAt } from '../lab/json.ts';
import { KARPENTER_LEASE } from '../lab/kubernetes/karpenter-double.ts';
import { keepLease, LEASES } from '../lab/kubernetes/keep-lease.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { allowController, startController } from '../mortise-command.ts';
import { expect, type Scenario } from '../scenario.ts';

export const karpenterAlive: Scenario = {
  name: 'beside a living Karpenter nothing is launched',
  id: 'karpenter',
  async run(lab, world) {
    await world.pool();
    const lease = await keepLease(lab.kube, KARPENTER_LEASE);
    await sleep(3_000);
    const before = lab.ec2.fleetCalls.length;
    await world.deployment('web', 2);
    await sleep(20_000);
    expect(lab.ec2.fleetCalls.length === before, 'something was launched beside Karpenter');
    await lease.end();
    const start = Date.now();
    await world.waitForRunning(2, 180_000);
    return { servedAfterMs: Date.now() - start };
  },
};

export const handOver: Scenario = {
  name: 'the controller takes over from the functions, and they from it',
  id: 'hand-over',
  async run(lab, world) {
    await world.pool();
    await world.deployment('web', 2);
    await world.waitForRunning(2);
    const before = await world.instances();

    await allowController(lab);
    const key = { AWS_ACCESS_KEY_ID: ACCESS_KEYS.controller };
    const controller = startController(lab, ['--take-over'], key);
    await waitUntil('the controller to own the cluster', async () => {
      expect(!controller.hasEnded(), 'the controller ended');
      return (await ownerOf(lab)).includes('controller');
    });
    await world.deployment('second', 2, { cpu: '1500m' });
    await world.waitForRunning(4);
    await controller.end();

    const start = Date.now();
    await world.deployment('third', 2, { cpu: '1500m' });
    await world.waitForRunning(6, 150_000);
    const after = await world.instances();
    expect(
      before.every((id) => after.includes(id)),
      'an instance did not survive the hand-over',
    );
    return { backAfterMs: Date.now() - start };
  },
};

const ownerOf = async ({ kube }: Lab): Promise<string> =>
  textAt(await kube.get(`${LEASES}/mortise`), 'spec', 'holderIdentity');
