import { describe, expect, it } from 'vitest';
import { advance } from '../../../shared/lifecycle/advance.ts';
import type { Observed } from '../../../shared/lifecycle/observed.ts';
import { findFirstRun } from '../../../shared/lifecycle/startup/first-pod.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { aLaunch, aNode, aNodeClaim, aRunningPod, NOON } from '../../support/builders.ts';

const initialized = aNodeClaim({
  launch: aLaunch(),
  registeredAt: NOON,
  initializedAt: NOON,
  expects: { 'rs-web': 2, 'pod-default-lone': 1 },
});
const owner = { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' };

const observe = (now: number, over: Partial<Observed> = {}): Observed => ({
  now,
  nodes: [aNode()],
  pods: [],
  instance: { providerId: 'i-1', state: 'running' },
  ...over,
});

describe('the first planned pod of a node', () => {
  it('is recorded with the time at which it ran', () => {
    const { claim } = advance(initialized, observe(NOON + MINUTE_MS, { firstPodRanAt: NOON + 7 }));

    expect(claim.podRunningAt).toBe(NOON + 7);
  });

  it('is looked for after 15 s, then less often, for ten minutes', () => {
    const checks: number[] = [];
    for (let now = NOON; ; ) {
      const { wakeAt } = advance(initialized, observe(now));
      if (wakeAt === undefined || wakeAt > NOON + HOUR_MS) break;
      checks.push((wakeAt - NOON) / SECOND_MS);
      now = wakeAt;
    }

    expect(checks).toEqual([15, 30, 60, 120, 240, 480, 960]);
  });

  it('is not looked for on a node that no pod was planned for', () => {
    const { expects: _, ...unplanned } = initialized;

    expect(advance(unplanned, observe(NOON)).wakeAt).toBeUndefined();
  });

  it('is the earliest of the owners and pods that the node was launched for', () => {
    const pods = [
      aRunningPod('node-1', { name: 'web-1', owner, runningAt: NOON + 5 }),
      aRunningPod('node-1', { name: 'web-2', owner, runningAt: NOON + 4 }),
      aRunningPod('node-1', { name: 'other', runningAt: NOON + 1 }),
    ];

    expect(findFirstRun(initialized, pods)).toBe(NOON + 4);
    const lone = aRunningPod('node-1', { name: 'lone', runningAt: NOON + 2 });
    expect(findFirstRun(initialized, [...pods, lone])).toBe(NOON + 2);
    expect(findFirstRun(initialized, [])).toBeUndefined();
  });
});
