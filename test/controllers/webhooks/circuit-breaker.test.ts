import { describe, expect, it } from 'vitest';
import {
  decideHooks,
  type HooksDecision,
} from '../../../shared/controllers/webhooks/circuit-breaker.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { CallMinute, Installation } from '../../../shared/ports/cluster-setup.ts';
import { NOON } from '../../support/builders.ts';
import { anInstallation } from './fake-setup.ts';

const NOW = NOON + 30 * MINUTE_MS;
const LEAVE: HooksDecision = { verdict: 'leave' };

/** The last minutes, oldest first; the newest began two minutes ago, as EKS shows it. */
const lately = (...minutes: readonly Omit<CallMinute, 'at'>[]): readonly CallMinute[] =>
  minutes.map((minute, index) => ({
    at: NOW - (minutes.length - index + 1) * MINUTE_MS,
    ...minute,
  }));

const SLOW = { p99Ms: 801 };
const QUICK = { p99Ms: 800 };

const judge = (minutes: readonly CallMinute[], over: Partial<Installation> = {}) =>
  decideHooks({ now: NOW, installation: anInstallation(over), minutes });

describe('hooks that are placed', () => {
  it('go after three minutes in which calls took more than four fifths of their time', () => {
    expect(judge(lately(QUICK, SLOW, { p99Ms: 1_004 }, SLOW))).toEqual({
      verdict: 'withdraw',
      why: 'calls of hooks took up to 1004 ms for 3 minutes',
    });
  });

  it('SV-28: go with a word on the route where calls leave through the VPC', () => {
    expect(judge(lately(SLOW, SLOW, SLOW), { isEgressRouted: true })).toEqual({
      verdict: 'withdraw',
      why: "calls of hooks took up to 801 ms for 3 minutes; they leave through the cluster's VPC (egress mode CUSTOMER_ROUTED): look for a route to the hooks' address",
    });
  });

  it.each<[string, readonly CallMinute[]]>([
    ['nothing is known', []],
    ['two minutes were slow', lately(SLOW, SLOW)],
    ['one of three was quick', lately(SLOW, QUICK, SLOW)],
    ['it is over', lately(SLOW, SLOW, SLOW, QUICK)],
    ['nobody called in between', [...lately(SLOW, SLOW, {}, SLOW)]],
    [
      'it is long ago',
      lately(SLOW, SLOW, SLOW).map(({ at, ...it }) => ({ at: at - 10 * MINUTE_MS, ...it })),
    ],
  ])('stay where %s', (_, minutes) => {
    expect(judge(minutes)).toEqual(LEAVE);
  });

  it('are not blamed for what was before them', () => {
    const hooks = { state: 'placed', since: NOW - 3 * MINUTE_MS } as const;
    expect(judge(lately(SLOW, SLOW, SLOW), { hooks })).toEqual(LEAVE);
  });

  it('go if more than half as many calls again were counted as came in', () => {
    const lossy = { counted: 16, received: 10 };
    expect(judge(lately(lossy, lossy, lossy))).toEqual({
      verdict: 'withdraw',
      why: 'of 48 calls in 3 minutes 30 came in',
    });
    const fair = { counted: 15, received: 10 };
    expect(judge(lately(lossy, fair, lossy))).toEqual(LEAVE);
  });

  it('go if not one call came in', () => {
    expect(judge(lately({ counted: 2 }, { counted: 2 }, { counted: 1 }))).toMatchObject({
      verdict: 'withdraw',
    });
  });

  it('stay if calls were too few to tell', () => {
    expect(judge(lately({ counted: 2 }, { counted: 1 }, { counted: 1 }))).toEqual(LEAVE);
  });

  it("stay where others' calls are counted along", () => {
    const lossy = { counted: 100, received: 1 };
    expect(judge(lately(lossy, lossy, lossy), { hasOtherHooks: true })).toEqual(LEAVE);
  });
});

describe('hooks that were withdrawn', () => {
  const withdrawn = (minutesAgo: number, by: 'breaker' | 'operator' = 'breaker') => ({
    hooks: { state: 'withdrawn', since: NOW - minutesAgo * MINUTE_MS, by, why: 'slow' } as const,
  });

  it('come back after ten quiet minutes', () => {
    expect(judge([], withdrawn(10))).toEqual({ verdict: 'restore' });
    expect(judge(lately(QUICK, QUICK), withdrawn(12))).toEqual({ verdict: 'restore' });
  });

  it('come back though they were slow until they went', () => {
    const minutes = [{ at: NOW - 10 * MINUTE_MS, ...SLOW }];
    expect(judge(minutes, withdrawn(10))).toEqual({ verdict: 'restore' });
  });

  it.each([
    ['too early', [], withdrawn(9.9)],
    ['while calls of others are slow', lately(SLOW, QUICK), withdrawn(60)],
    ['if an operator took them', [], withdrawn(600, 'operator')],
  ])('stay away %s', (_, minutes, over) => {
    expect(judge(minutes, over)).toEqual(LEAVE);
  });
});

it('a cluster without hooks has none to judge', () => {
  expect(judge(lately(SLOW, SLOW, SLOW), { hooks: { state: 'none' } })).toEqual(LEAVE);
});
