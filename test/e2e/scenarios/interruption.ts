import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Scenario, type World } from '../scenario.ts';
import { nodesOf } from '../world.ts';

const BUDGET = (namespace: string, minAvailable: number): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace, name: 'web' },
  spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
});

export const spotInterruption: Scenario = {
  name: 'EC2 takes a spot node with guarded pods back',
  id: 'spot',
  async run(lab, world) {
    await world.pool({
      capacityTypes: ['spot'],
      instanceTypes: ['m5.large', 'm5a.large', 'm6i.large'],
    });
    await lab.kubectl(['apply', '-f', '-'], BUDGET(world.id, 3));
    await world.deployment('web', 4, { cpu: '700m' });
    const pods = await world.waitForRunning(4);
    const [claim] = await world.claims();
    expect(claim !== undefined, 'there is a claim');
    const stopWatch = watchFewestRunning(world);
    const start = Date.now();
    await notify(lab, 'EC2 Spot Instance Interruption Warning', claim.providerId);
    await waitUntil(
      `the end of ${claim.name}`,
      async () => (await world.claims()).every(({ name }) => name !== claim.name),
      { timeoutMs: 180_000, everyMs: 500 },
    );
    const goneMs = Date.now() - start;
    await world.waitForRunning(4);
    const fewest = stopWatch();
    expect(fewest >= 3, `a budget of 3 was broken: ${fewest} pods ran`);
    return { goneMs, nodesBefore: nodesOf(pods).length, fewestRunning: fewest };
  },
};

export const rebalance: Scenario = {
  name: 'a rebalance recommendation is told and followed by nothing',
  id: 'rebalance',
  async run(lab, world) {
    await world.pool({ capacityTypes: ['spot'], instanceTypes: ['m5.large', 'm5a.large'] });
    await world.deployment('web', 2);
    const before = await world.waitForRunning(2);
    const [claim] = await world.claims();
    expect(claim !== undefined, 'there is a claim');
    await notify(lab, 'EC2 Instance Rebalance Recommendation', claim.providerId);
    await sleep(8_000);
    const after = await world.waitForRunning(2);
    const names = (pods: typeof before) =>
      pods
        .map(({ name }) => name)
        .toSorted()
        .join();
    expect(names(before) === names(after), 'no pod moved');
    expect(
      (await world.claims()).every(({ isEnding }) => !isEnding),
      'no claim ends',
    );
    return {};
  },
};

/**
 * Sends the envelope of EventBridge directly to the queue of its rules, because only AWS may send
 * events from `aws.ec2`.
 */
export async function notify(
  lab: Lab,
  detailType: string,
  providerId: string,
  detail: object = { 'instance-action': 'terminate' },
): Promise<void> {
  const instance = providerId.split('/').at(-1) ?? '';
  const event = {
    version: '0',
    id: crypto.randomUUID(),
    'detail-type': detailType,
    source: 'aws.ec2',
    account: '000000000000',
    time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    region: 'us-east-1',
    resources: [`arn:aws:ec2:us-east-1a:instance/${instance}`],
    detail: { 'instance-id': instance, ...detail },
  };
  await lab.cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: lab.deployment.output('InterruptionQueue'),
      MessageBody: JSON.stringify(event),
    }),
  );
}

/**
 * @returns a function that ends the watch and returns the lowest number of running pods
 */
function watchFewestRunning(world: World): () => number {
  let fewest = Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    world
      .pods()
      .then((pods) => {
        const running = pods.filter(({ isRunning, isEnding }) => isRunning && !isEnding).length;
        fewest = Math.min(fewest, running);
      })
      .catch(() => undefined);
  }, 250);
  return () => {
    clearInterval(timer);
    return fewest;
  };
}
