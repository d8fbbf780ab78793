import { describe, expect, it } from 'vitest';
import { pollOnce, reconcilePollLoop } from '../../../shared/controllers/webhooks/poll.ts';
import { reconcileWebhooks } from '../../../shared/controllers/webhooks/reconcile.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { CallMinute, HooksRequest, Installation } from '../../../shared/ports/cluster-setup.ts';
import type { Hint, PollMessage } from '../../../shared/ports/work-queue.ts';
import { NOON } from '../../support/builders.ts';
import { memoryTelemetry } from '../../support/memory-telemetry.ts';
import { aFakeLoop } from './fake-poll.ts';
import { anInstallation } from './fake-setup.ts';

function aWorld() {
  const hints: Hint[] = [];
  const requests: HooksRequest[] = [];
  const loop = aFakeLoop();
  const telemetry = memoryTelemetry();
  const world = {
    now: NOON,
    waiting: async (): Promise<string> => '',
    installation: undefined as Installation | undefined,
    minutes: [] as readonly CallMinute[],
    hints,
    requests,
    loop,
    telemetry,
    /** Advances the time and delivers each message when it is due, oldest first. */
    async run(ms: number): Promise<void> {
      const until = world.now + ms;
      for (;;) {
        const next = loop.sent.toSorted((a, b) => a.at - b.at)[0];
        if (!next || next.at > until) break;
        loop.sent.splice(loop.sent.indexOf(next), 1);
        world.now = next.at;
        await pollOnce(ports, next.message);
      }
      world.now = until;
    },
  };
  const ports = {
    clock: { now: () => world.now },
    queue: {
      send: async (hint: Hint) => {
        hints.push(hint);
      },
    },
    loop,
    pendingPods: { fingerprint: () => world.waiting() },
    installations: { find: async () => world.installation },
    telemetry,
    calls: { since: async () => world.minutes },
    hooksRequests: {
      send: async (request: HooksRequest) => {
        requests.push(request);
      },
    },
  };
  return { world, ports };
}

describe('the poll loop', () => {
  it('looks every five seconds, and sends a hint when other pods are pending', async () => {
    const { world, ports } = aWorld();
    await reconcilePollLoop(ports, true);

    await world.run(14_000);
    expect(world.loop.state?.turn).toBe(3);
    expect(world.hints).toEqual([]);

    world.waiting = async () => 'pods-a';
    await world.run(20_000);
    expect(world.hints).toEqual([{ topic: 'plan' }]);

    world.waiting = async () => 'pods-b';
    await world.run(5_000);
    expect(world.hints).toHaveLength(2);
  });

  it('sends a hint again for pods that were pending before, if none were in between', async () => {
    const { world, ports } = aWorld();
    await reconcilePollLoop(ports, true);
    for (const waiting of ['pods-a', '', 'pods-a']) {
      world.waiting = async () => waiting;
      await world.run(5_000);
    }
    expect(world.hints).toHaveLength(2);
  });

  it('continues while the API server does not answer, and forgets nothing', async () => {
    const { world, ports } = aWorld();
    world.waiting = async () => 'pods-a';
    await reconcilePollLoop(ports, true);
    await world.run(1_000);
    world.waiting = async () => Promise.reject(new Error('no connection'));
    await world.run(60_000);
    world.waiting = async () => 'pods-a';
    await world.run(10_000);

    expect(world.hints).toHaveLength(1);
  });

  it('is one loop after an iteration, however many were started', async () => {
    const { world, ports } = aWorld();
    await Promise.all([reconcilePollLoop(ports, true), reconcilePollLoop(ports, true)]);
    world.now += 30_000; // stale for `reconcilePollLoop`
    await reconcilePollLoop(ports, true);

    await world.run(5_000);

    expect(world.loop.sent).toHaveLength(1);
    expect(world.loop.state?.generation).toBe(2);
  });

  it('drops a message that arrives twice or has another generation', async () => {
    const { world, ports } = aWorld();
    await reconcilePollLoop(ports, true);
    const message: PollMessage = { generation: 1, turn: 0, until: NOON + HOUR_MS, waiting: '' };
    expect(world.loop.sent.splice(0)).toEqual([{ message, at: NOON }]);

    await pollOnce(ports, message);
    await pollOnce(ports, message);
    await pollOnce(ports, { ...message, generation: 7 });

    expect(world.loop.sent).toHaveLength(1);
  });

  it('ends after an hour without renewal', async () => {
    const { world, ports } = aWorld();
    await reconcilePollLoop(ports, true);
    await world.run(2 * HOUR_MS);

    expect(world.loop.sent).toEqual([]);
    expect(world.loop.state?.turn).toBe(720);
  });

  it('runs for hours without a pause if the sweep renews it', async () => {
    const { world, ports } = aWorld();
    for (let minute = 0; minute < 150; minute += 1) {
      await reconcilePollLoop(ports, true);
      await world.run(MINUTE_MS);
      expect(world.now - (world.loop.state?.at ?? 0)).toBeLessThanOrEqual(5_000);
    }
  });

  it('is restarted when its message is lost', async () => {
    const { world, ports } = aWorld();
    await reconcilePollLoop(ports, true);
    world.loop.sent.splice(0);

    await world.run(MINUTE_MS);
    await reconcilePollLoop(ports, true);
    await world.run(1_000);

    expect(world.loop.state).toMatchObject({ generation: 2, turn: 1 });
  });

  it('ends when it should no longer run', async () => {
    const { world, ports } = aWorld();
    await reconcilePollLoop(ports, true);
    await world.run(MINUTE_MS);
    await reconcilePollLoop(ports, false);
    await world.run(MINUTE_MS);

    expect(world.loop.sent).toEqual([]);
  });
});

describe('reconcileWebhooks', () => {
  const slow = [4, 3, 2].map((ago) => ({
    at: NOON + 29 * MINUTE_MS - ago * MINUTE_MS,
    p99Ms: 1_000,
  }));

  it('sets the cluster up again if the installation record is lost', async () => {
    const { world, ports } = aWorld();
    await reconcileWebhooks(ports);
    expect(world.requests).toEqual([{ action: 'keep' }]);
    expect(world.loop.state).toBeUndefined();
  });

  it('withdraws slow webhooks, polls meanwhile, and restores them', async () => {
    const { world, ports } = aWorld();
    world.installation = anInstallation();
    world.now = NOON + 29 * MINUTE_MS;
    world.minutes = slow;

    await reconcileWebhooks(ports);
    expect(world.requests).toEqual([
      {
        action: 'withdraw-hooks',
        by: 'breaker',
        why: 'calls of hooks took up to 1000 ms for 3 minutes',
      },
    ]);
    expect(world.loop.sent).toHaveLength(1);

    const hooks = { state: 'withdrawn', since: world.now, by: 'breaker', why: 'slow' } as const;
    world.installation = anInstallation({ hooks });
    await world.run(10 * MINUTE_MS);
    await reconcileWebhooks(ports);
    expect(world.requests[1]).toEqual({ action: 'restore-hooks' });
    expect(world.telemetry.series.get('mortise_hooks_withdrawn{}')).toBe(1);

    world.installation = anInstallation({ hooks: { state: 'placed', since: world.now } });
    await reconcileWebhooks(ports);
    await world.run(MINUTE_MS);
    expect(world.loop.sent).toEqual([]);
  });

  it.each([
    ['polls if that is the event source', 'poll', true],
    ['leaves a cluster alone that a controller process serves', 'controller', false],
  ] as const)('%s', async (_, eventSource, isPolled) => {
    const { world, ports } = aWorld();
    world.installation = anInstallation({ eventSource, hooks: { state: 'none' } });
    world.minutes = slow;

    await reconcileWebhooks(ports);

    expect(world.requests).toEqual([]);
    expect(world.loop.state !== undefined).toBe(isPolled);
  });
});
