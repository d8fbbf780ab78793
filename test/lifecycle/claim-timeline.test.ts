import { describe, expect, it } from 'vitest';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { buildTimeline, TIMELINE_PHASES } from '../../shared/lifecycle/claim-timeline.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { aWorld, runFor } from '../simulation/support.ts';
import { aDeployment, aLaunch, aNodeClaim, aNodePool, NOON } from '../support/builders.ts';

describe('the timeline of a claim', () => {
  it('lists each phase with its time and the time since the phase before', () => {
    const claim = aNodeClaim({
      podsWaitedSince: NOON,
      createdAt: NOON + 800,
      launch: { ...aLaunch(), calledAt: NOON + 900, at: NOON + 2_000 },
      registeredAt: NOON + 30 * SECOND_MS,
    });

    expect(buildTimeline(claim)).toEqual([
      { phase: 'pod-pending', at: NOON },
      { phase: 'decided', at: NOON + 800, ms: 800 },
      { phase: 'fleet-requested', at: NOON + 900, ms: 100 },
      { phase: 'launched', at: NOON + 2_000, ms: 1_100 },
      { phase: 'registered', at: NOON + 30 * SECOND_MS, ms: 28_000 },
    ]);
  });

  it('sorts phases by time, because pods may run before the node is initialized', () => {
    const claim = aNodeClaim({
      createdAt: NOON,
      initializedAt: NOON + 2_000,
      podRunningAt: NOON + 1_000,
    });

    expect(buildTimeline(claim).map(({ phase }) => phase)).toEqual(['decided', 'pod-running', 'initialized']);
  });

  it('contains every phase of a simulated node but volumes, from the pending pod to the end', async () => {
    const pool = aNodePool({ disruption: { ...aNodePool().disruption, consolidateAfterMs: 0 } });
    const world = aWorld({ pools: [pool], workloads: [aDeployment({ replicas: 2 })] });
    world.consume((hint) => dispatch(world.ports, hint));
    await runFor(world, 10 * MINUTE_MS);
    const [first] = (await world.ports.nodeClaims.list()).records;
    world.userActions.scale({ kind: 'Deployment', namespace: 'default', name: 'web' }, 0);
    await runFor(world, HOUR_MS);
    const ended = await world.ports.nodeClaims.find(first?.claim.name ?? '');
    const timeline = ended ? buildTimeline(ended.claim) : [];

    expect(timeline.map(({ phase }) => phase)).toEqual(
      TIMELINE_PHASES.filter(
        (phase) => phase !== 'volumes-detached' || timeline.some((entry) => entry.phase === phase),
      ),
    );
    expect(timeline.every(({ ms = 0 }) => ms >= 0)).toBe(true);
  });
});
