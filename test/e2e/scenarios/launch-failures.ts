import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Scenario } from '../scenario.ts';

export const shortage: Scenario = {
  name: 'the next offering is launched if EC2 is out of capacity',
  id: 'shortage',
  async run(lab, world) {
    const types = ['m5.large', 'm6i.large', 'c5.xlarge'];
    await world.pool({ instanceTypes: types });
    lab.ec2.exhaust((offering) => offering.startsWith('m5.large/') || offering.startsWith('m6i.large/'));
    await sleep(1_000);
    const before = lab.ec2.fleetCalls.length;
    const start = Date.now();
    await world.deployment('web', 2);
    await world.waitForRunning(2);
    lab.ec2.exhaust(() => false);
    const calls = lab.ec2.fleetCalls
      .slice(before)
      .filter(({ offerings }) => offerings.some((one) => one.startsWith('c5.xlarge/')));
    expect(
      calls.some(({ outcome }) => outcome === 'launched'),
      'the third type was launched',
    );
    return { runningMs: Date.now() - start, calls: calls.length };
  },
};

export const throttling: Scenario = {
  name: 'EC2 throttles three requests',
  id: 'throttled',
  async run(lab, world) {
    await world.pool();
    await sleep(1_000);
    lab.ec2.throttle(3);
    const start = Date.now();
    await world.deployment('web', 1);
    await waitUntil('the throttled requests', () => lab.ec2.fleetCalls.some(({ outcome }) => outcome === 'throttled'));
    await world.waitForRunning(1);
    return { runningMs: Date.now() - start };
  },
};

export const lostAnswer: Scenario = {
  name: 'the answer of CreateFleet is lost, but no instance',
  id: 'lost',
  async run(lab, world) {
    await world.pool();
    await sleep(1_000);
    lab.ec2.loseAnswers(1);
    await world.deployment('web', 1);
    await world.waitForRunning(1);
    await sleep(3_000);
    const [claims, instances] = await Promise.all([world.claims(), world.instances()]);
    expect(claims.length === instances.length, `${claims.length} claims, ${instances.length} instances`);
    return { instances: instances.length };
  },
};
