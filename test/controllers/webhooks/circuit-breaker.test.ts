import { describe, expect, it } from 'vitest';
import { decideHooks, type HooksDecision } from '../../../shared/controllers/webhooks/reconcile.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { CallMinute, Installation } from '../../../shared/ports/cluster-setup.ts';
import { NOON } from '../../support/builders.ts';
import { anInstallation } from './fake-setup.ts';

const NOW = NOON + 30 * MINUTE_MS;
const LEAVE: HooksDecision = { verdict: 'leave' };
const PROBE: HooksDecision = { verdict: 'probe' };

/** The last minutes, oldest first; the newest began two minutes ago, as EKS shows it. */
const recentMinutes = (...minutes: readonly Omit<CallMinute, 'at'>[]): readonly CallMinute[] =>
  minutes.map((minute, index) => ({
    at: NOW - (minutes.length - index + 1) * MINUTE_MS,
    ...minute,
  }));

const SLOW = { p99Ms: 801 };
const QUICK = { p99Ms: 800 };

const judge = (minutes: readonly CallMinute[], over: Partial<Installation> = {}) =>
  decideHooks({ now: NOW, installation: anInstallation(over), minutes });

describe('placed webhooks', () => {
  it('are withdrawn after three minutes in which calls took over four fifths of their time-out', () => {
    expect(judge(recentMinutes(QUICK, SLOW, { p99Ms: 1_004 }, SLOW))).toEqual({
      verdict: 'withdraw',
      why: 'calls of hooks took up to 1004 ms for 3 minutes',
    });
  });

  it('are withdrawn with a remark on the route if calls leave through the VPC', () => {
    expect(judge(recentMinutes(SLOW, SLOW, SLOW), { isEgressRouted: true })).toEqual({
      verdict: 'withdraw',
      why: "calls of hooks took up to 801 ms for 3 minutes; they leave through the cluster's VPC (egress mode CUSTOMER_ROUTED): look for a route to the hooks' address",
    });
  });

  it.each<[string, readonly CallMinute[]]>([
    ['there are no measurements', []],
    ['the slow minutes are over', recentMinutes(SLOW, SLOW, SLOW, QUICK)],
    ['the intake failed to answer few calls', recentMinutes({ received: 40, failed: 20 })],
    ['the intake failed to answer all of few calls', recentMinutes({ received: 4, failed: 4 })],
    [
      'the slow minutes are long ago',
      recentMinutes(SLOW, SLOW, SLOW).map(({ at, ...it }) => ({ at: at - 10 * MINUTE_MS, ...it })),
    ],
  ])('stay if %s', (_, minutes) => {
    expect(judge(minutes)).toEqual(LEAVE);
  });

  it.each<[string, readonly CallMinute[]]>([
    ['one minute was slow', recentMinutes(QUICK, SLOW)],
    ['two minutes were slow', recentMinutes(SLOW, SLOW)],
    ['one of three minutes was fast', recentMinutes(SLOW, QUICK, SLOW)],
    ['there were no calls in between', recentMinutes(SLOW, SLOW, {}, SLOW)],
    ['calls were lost in one minute', recentMinutes({ counted: 1 })],
  ])('are probed if %s', (_, minutes) => {
    expect(judge(minutes)).toEqual(PROBE);
  });

  it.each([
    ['failed', { received: 10, failed: 6 }, 'the intake failed to answer 6 of 10 calls in a minute'],
    ['refused calls, which are no invocations,', { failed: 9 }, 'the intake failed to answer 9 of 9 calls in a minute'],
  ])('are withdrawn after one minute in which the intake %s', (_, minute, why) => {
    expect(judge(recentMinutes(minute))).toEqual({ verdict: 'withdraw', why });
  });

  it('are not judged by earlier minutes', () => {
    const hooks = { state: 'placed', since: NOW - 3 * MINUTE_MS } as const;
    expect(judge(recentMinutes(SLOW, SLOW, SLOW), { hooks })).toEqual(PROBE);
  });

  it('are withdrawn if EKS counted over 1.5 times as many calls as arrived', () => {
    const lossy = { counted: 16, received: 10 };
    expect(judge(recentMinutes(lossy, lossy, lossy))).toEqual({
      verdict: 'withdraw',
      why: 'of 48 calls in 3 minutes 30 came in',
    });
    const fair = { counted: 15, received: 10 };
    expect(judge(recentMinutes(lossy, fair, lossy))).toEqual(PROBE);
    expect(judge(recentMinutes(lossy, lossy, fair))).toEqual(LEAVE);
  });

  it('are withdrawn if no call arrived', () => {
    expect(judge(recentMinutes({ counted: 2 }, { counted: 2 }, { counted: 1 }))).toMatchObject({
      verdict: 'withdraw',
    });
  });

  it('are only probed if there were too few calls to judge', () => {
    expect(judge(recentMinutes({ counted: 2 }, { counted: 1 }, { counted: 1 }))).toEqual(PROBE);
  });

  it('stay if calls of other webhooks are counted as well', () => {
    const lossy = { counted: 100, received: 1 };
    expect(judge(recentMinutes(lossy, lossy, lossy), { hasOtherHooks: true })).toEqual(LEAVE);
  });
});

describe('withdrawn webhooks', () => {
  const withdrawn = (minutesAgo: number, by: 'breaker' | 'operator' = 'breaker') => ({
    hooks: { state: 'withdrawn', since: NOW - minutesAgo * MINUTE_MS, by, why: 'slow' } as const,
  });

  it('are restored after ten quiet minutes', () => {
    expect(judge([], withdrawn(10))).toEqual({ verdict: 'restore' });
    expect(judge(recentMinutes(QUICK, QUICK), withdrawn(12))).toEqual({ verdict: 'restore' });
  });

  it('are restored though they were slow until their withdrawal', () => {
    const minutes = [{ at: NOW - 10 * MINUTE_MS, ...SLOW }];
    expect(judge(minutes, withdrawn(10))).toEqual({ verdict: 'restore' });
  });

  it.each([
    ['before ten minutes have passed', [], withdrawn(9.9)],
    ['while calls of other webhooks are slow', recentMinutes(SLOW, QUICK), withdrawn(60)],
    ['if an operator withdrew them', [], withdrawn(600, 'operator')],
  ])('stay withdrawn %s', (_, minutes, over) => {
    expect(judge(minutes, over)).toEqual(LEAVE);
  });
});

it('decides nothing for a cluster without webhooks', () => {
  expect(judge(recentMinutes(SLOW, SLOW, SLOW), { hooks: { state: 'none' } })).toEqual(LEAVE);
});
