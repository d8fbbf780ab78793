import { describe, expect, it } from 'vitest';
import type { WorkloadRef } from '../../shared/model/pods/workload.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { SimWorld, UserActions } from '../../shared/simulation/world.ts';
import { aDaemonSet, aDeployment, aJob, aNodeClaim, aStatefulSet, NOON } from '../support/builders.ts';
import { launchOne } from '../support/launch-one.ts';
import { aWorld, runFor } from './support.ts';

const saidIn = (world: SimWorld): readonly string[] =>
  world.events().map(({ event }) => (event.kind === 'you' ? event.text : event.kind));

const ref = (kind: WorkloadRef['kind'], name: string): WorkloadRef => ({
  kind,
  name,
  namespace: 'default',
});

describe('user actions', () => {
  it.each<[string, (actions: UserActions) => void, string]>([
    [
      'scaling a Deployment',
      (actions) => actions.scale(ref('Deployment', 'web'), 40),
      'You scaled default/web from 12 to 40.',
    ],
    [
      'scaling a StatefulSet',
      (actions) => actions.scale(ref('StatefulSet', 'db'), 0),
      'You scaled default/db from 3 to 0.',
    ],
    ['scaling a Job', (actions) => actions.scale(ref('Job', 'batch'), 7), 'You scaled default/batch from 2 to 7.'],
    [
      'exhausting one offering',
      (actions) =>
        actions.exhaustCapacity(
          { instanceType: 'm7i.large', zone: 'us-east-1a', capacityType: 'spot' },
          20 * MINUTE_MS,
        ),
      'You ran m7i.large spot us-east-1a dry for 20 min.',
    ],
    [
      'exhausting all offerings',
      (actions) => actions.exhaustCapacity({}, MINUTE_MS),
      'You ran every offering dry for 1 min.',
    ],
    ['multiplying spot prices', (actions) => actions.multiplySpotPrices(2.5), 'You multiplied spot prices by 2.5.'],
    [
      'interrupting a node',
      (actions) => actions.interrupt('general-1', 'spot-interruption'),
      'You had EC2 take back general-1.',
    ],
    [
      'recommending a rebalance',
      (actions) => actions.interrupt('general-1', 'rebalance-recommendation'),
      'You had EC2 advise to leave general-1.',
    ],
    [
      'losing a zone',
      (actions) => actions.loseZone('eu-west-1a', 10 * MINUTE_MS),
      'You took eu-west-1a down for 10 min, and 0 nodes with it.',
    ],
    [
      'changing a template',
      (actions) => actions.changeTemplate('general'),
      'You changed the template of NodePool general.',
    ],
  ])('are recorded as events: %s', async (_, act, text) => {
    const world = aWorld({
      workloads: [
        aDeployment({ replicas: 12 }),
        aStatefulSet({ replicas: 3 }),
        aJob({ parallelism: 2, completions: 9 }),
      ],
    });
    await launchOne(world.ports.cloud, aNodeClaim());

    act(world.userActions);

    expect(world.events()).toEqual([{ seq: 1, event: { kind: 'you', by: 'you', at: NOON, text } }]);
  });

  it.each<[string, (actions: UserActions) => void]>([
    ['scales a DaemonSet', (actions) => actions.scale(ref('DaemonSet', 'agent'), 2)],
    ['scales a workload that does not exist', (actions) => actions.scale(ref('Deployment', 'nothing'), 2)],
    ['interrupts a node that does not exist', (actions) => actions.interrupt('nothing', 'spot-interruption')],
  ])('throw and record nothing for an action that %s', (_, act) => {
    const world = aWorld({ workloads: [aDaemonSet()] });

    expect(() => act(world.userActions)).toThrow();
    expect(saidIn(world)).toEqual([]);
  });
});

describe('the loss of a zone', () => {
  it('ends its instances and leaves no capacity there for a while', async () => {
    const world = aWorld();
    const { cloud } = world.ports;
    const first = await launchOne(cloud, aNodeClaim());
    if (first.outcome !== 'launched') throw new Error('not launched');
    const { zone } = first.launch;
    world.userActions.loseZone(zone, 10 * MINUTE_MS);

    expect(saidIn(world).join()).toMatch(/and 1 node with it/);
    expect((await cloud.instances()).map(({ state }) => state)).toEqual(['shutting-down']);
    const again = await launchOne(cloud, aNodeClaim({ name: 'general-2' }));
    expect(again.outcome === 'launched' && again.launch.zone).not.toBe(zone);
  });
});

describe('the change of a template', () => {
  it('gives the NodePool another hash each time', () => {
    const world = aWorld();
    const hashOf = () => world.pools().find(({ name }) => name === 'general')?.hash;
    const hashes = [hashOf()];
    for (let change = 1; change <= 2; change += 1) {
      world.userActions.changeTemplate('general');
      hashes.push(hashOf());
    }
    expect(new Set(hashes).size).toBe(3);
    expect(hashes).not.toContain(undefined);
  });
});

describe('script actions', () => {
  it('are recorded with another actor', () => {
    const world = aWorld({ workloads: [aDeployment({ name: 'web', replicas: 1 })] });
    world.demoActions.scale({ kind: 'Deployment', namespace: 'default', name: 'web' }, 3);

    expect(world.events().map(({ event }) => event)).toEqual([
      { kind: 'you', by: 'demo', at: NOON, text: 'The demo scaled default/web from 1 to 3.' },
    ]);
  });
});

describe('the simulated decision log', () => {
  it('numbers events and returns those after a given number', async () => {
    const world = aWorld();
    for (const text of ['one', 'two', 'three']) {
      await world.ports.decisionLog.recordEvent({ kind: 'you', by: 'you', at: NOON, text });
    }

    expect(world.events(1).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(world.events(3)).toEqual([]);
  });

  it('keeps the newest entries and decisions up to its limits', async () => {
    const world = aWorld();
    for (let index = 1; index <= 25_000; index += 1) {
      await world.ports.decisionLog.recordEvent({
        kind: 'you',
        by: 'you',
        at: NOON,
        text: `${index}`,
      });
    }
    for (let index = 1; index <= 700; index += 1) {
      const plan = { claims: [], placements: [], unplaced: [], hourlyUsd: 0 };
      await world.ports.decisionLog.recordDecision({
        id: `${index}`,
        at: NOON,
        kind: 'provisioning',
        plan,
      });
    }

    expect(world.events(24_990).map(({ seq }) => seq)).toHaveLength(10);
    expect(world.events().length).toBeLessThanOrEqual(20_000);
    expect(world.events(1).at(0)?.seq).toBe(world.events().at(0)?.seq);
    expect(world.decisions()).toHaveLength(500);
    expect(world.decisions().at(-1)?.id).toBe('700');
  });
});

describe('a listener', () => {
  it('is called for changes until it unsubscribes', async () => {
    const world = aWorld({ workloads: [aDeployment()] });
    let heard = 0;
    const stop = world.onChange(() => {
      heard += 1;
    });

    await runFor(world, MINUTE_MS);
    const before = heard;
    stop();
    world.userActions.multiplySpotPrices(2);

    expect(before).toBeGreaterThan(0);
    expect(heard).toBe(before);
  });
});
