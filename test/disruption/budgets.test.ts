import { describe, expect, it } from 'vitest';
import { computeAllowedDisruptions, findNextOpening } from '../../shared/disruption/budgets.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';
import type { Budget, DisruptionReason } from '../../shared/model/nodes/node-pool.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { aFleet, decide, type FleetNode, findStayReason, runningCommand, willing } from './fleet.ts';

const allowed = (budgets: readonly Budget[], nodes: number, reason: DisruptionReason = 'Empty', now = NOON): number =>
  computeAllowedDisruptions(willing({ budgets }), reason, nodes, now).nodes;

describe('computeAllowedDisruptions', () => {
  it.each([
    ['a percentage', 10, '30%', 3],
    ['a percentage', 10, '100%', 10],
    ['a percentage', 10, '0%', 0],
    ['a percentage that rounds up', 19, '20%', 4],
    ['a percentage that rounds up', 10, '5%', 1],
    ['a percentage that rounds up', 3, '10%', 1],
    ['an empty pool', 0, '10%', 0],
    ['a count', 10, '5', 5],
    ['a count of 0', 10, '0', 0],
  ])('%s: with %i nodes a budget of %s allows %i', (_, nodes, written, expected) => {
    expect(allowed([{ nodes: written }], nodes)).toBe(expected);
  });

  it('applies the smallest of several budgets', () => {
    expect(allowed([{ nodes: '10' }, { nodes: '100%' }], 100)).toBe(10);
  });

  it.each<[DisruptionReason, number]>([
    ['Drifted', 5],
    ['Empty', 10],
    ['Underutilized', 10],
  ])('applies a budget with reasons to these reasons only: %s', (reason, expected) => {
    const budgets: Budget[] = [
      { nodes: '10' },
      { nodes: '100' },
      { nodes: '100%' },
      { nodes: '15', reasons: ['Drifted', 'Underutilized'] },
      { nodes: '5', reasons: ['Drifted'] },
    ];

    expect(allowed(budgets, 100, reason)).toBe(expected);
  });

  it('returns the budget that sets the limit', () => {
    const pool = willing({ budgets: [{ nodes: '100%' }, { nodes: '20%' }] });

    expect(computeAllowedDisruptions(pool, 'Empty', 10, NOON)).toEqual({
      nodes: 2,
      budget: { nodes: '20%' },
    });
  });
});

describe('budget windows', () => {
  const at = (text: string) => Date.parse(text);
  const closed = (schedule: string, durationMs: number, now: number) =>
    allowed([{ nodes: '0', schedule, durationMs }], 10, 'Empty', now) === 0;

  it('allows everything if no budget is active', () => {
    expect(allowed([], 10)).toBe(Number.POSITIVE_INFINITY);
    expect(closed('@yearly', HOUR_MS, at('2026-06-01T12:00:00Z'))).toBe(false);
  });

  const day = 24 * HOUR_MS;
  it.each([
    ['yearly', '@yearly', day, '2026-01-01T12:00:00Z', true],
    ['yearly', '@yearly', day, '2026-01-02T12:00:00Z', false],
    ['longer than its interval', '@daily', 2 * day, '2026-03-05T00:00:00Z', true],
    ['longer than its interval', '@daily', 2 * day, '2026-03-05T17:23:11Z', true],
    ['weekly', '30 6 * * SUN', 6 * HOUR_MS, '2026-01-04T00:00:00Z', false],
    ['includes the start', '30 6 * * SUN', 6 * HOUR_MS, '2026-01-04T06:30:00Z', true],
    ['weekly', '30 6 * * SUN', 6 * HOUR_MS, '2026-01-04T12:29:59Z', true],
    ['excludes the end', '30 6 * * SUN', 6 * HOUR_MS, '2026-01-04T12:30:00Z', false],
    ['uses UTC', '@daily', 30 * MINUTE_MS, '2026-01-04T23:00:00Z', false],
    ['Sunday is 0', '0 12 * * 0', HOUR_MS, '2026-01-04T12:30:00Z', true],
    ['accepts month names', '0 12 * jan *', HOUR_MS, '2026-01-20T12:30:00Z', true],
    ['matches day of month or day of week', '0 12 20 * mon', HOUR_MS, '2026-01-20T12:30:00Z', true],
    ['matches day of month or day of week', '0 12 20 * mon', HOUR_MS, '2026-01-19T12:30:00Z', true],
    ['matches day of month or day of week', '0 12 20 * mon', HOUR_MS, '2026-01-21T12:30:00Z', false],
    // The clocks of Berlin are two hours ahead of UTC in summer, one in winter.
    ['has a time zone', 'CRON_TZ=Europe/Berlin 0 9 * * *', HOUR_MS, '2026-07-01T07:00:00Z', true],
    ['has a time zone', 'CRON_TZ=Europe/Berlin 0 9 * * *', HOUR_MS, '2026-12-01T07:59:59Z', false],
    ['has a time zone', 'CRON_TZ=Europe/Berlin 0 9 * * *', HOUR_MS, '2026-12-01T08:00:00Z', true],
    [
      'lasts until its usual end after clocks went back',
      'CRON_TZ=Europe/Berlin 30 2 * * *',
      6 * HOUR_MS,
      '2026-10-25T07:29:59Z',
      true,
    ],
    ['midnight', '@midnight', HOUR_MS, '2026-01-04T00:59:59Z', true],
    ['every hour', '@hourly', MINUTE_MS, '2026-01-04T05:01:00Z', false],
    ['is always active for a day that does not exist', '0 0 30 2 *', HOUR_MS, '2026-01-04T05:01:00Z', true],
  ])('%s: %s for %i ms, evaluated at %s: %s', (_, schedule, durationMs, now, expected) => {
    expect(closed(schedule, durationMs, at(now))).toBe(expected);
  });
});

describe('unreadable budgets', () => {
  it.each<[string, Budget]>([
    ['an unknown schedule name', { nodes: '5', schedule: '@wrongly', durationMs: HOUR_MS }],
    ['a reversed range of weekdays', { nodes: '5', schedule: '0 0 * * tue-mon', durationMs: HOUR_MS }],
    ['an unknown time zone', { nodes: '5', schedule: 'CRON_TZ=Europe/Berlim 0 9 * * *', durationMs: HOUR_MS }],
    ['six fields', { nodes: '5', schedule: '0 0 0 * * *', durationMs: HOUR_MS }],
    ['a malformed percentage', { nodes: '1000a%' }],
    ['more than 100 %', { nodes: '101%' }],
    ['a negative count', { nodes: '-1' }],
    ['a schedule without a duration', { nodes: '5', schedule: '@daily' }],
    ['a duration without a schedule', { nodes: '5', durationMs: HOUR_MS }],
  ])('%s: allow nothing, for any reason', (_, budget) => {
    for (const reason of ['Empty', 'Drifted', 'Underutilized'] as const) {
      expect(allowed([{ nodes: '100%' }, { ...budget, reasons: ['Drifted'] }], 10, reason)).toBe(0);
    }
  });
});

describe('the reason of an unreadable budget', () => {
  it.each<[string, Budget]>([
    [
      '"CRON_TZ=Europe/Berlim 0 9 * * *" names the time zone Europe/Berlim, which does not exist',
      { nodes: '5', schedule: 'CRON_TZ=Europe/Berlim 0 9 * * *', durationMs: HOUR_MS },
    ],
    ['"0 9 * *" is no schedule that can be computed', { nodes: '5', schedule: '0 9 * *', durationMs: HOUR_MS }],
    ['a schedule needs a duration', { nodes: '5', schedule: '@daily' }],
    ['a duration needs a schedule', { nodes: '5', durationMs: HOUR_MS }],
    ['"101%" is no number of nodes', { nodes: '101%' }],
  ])('says that %s', (fault, budget) => {
    const { verdicts } = decide(aFleet([{ name: 'n' }], { pools: [willing({ budgets: [budget] })] }));

    expect(verdicts.map(({ reason }) => formatReason(reason))).toEqual([
      `no disruption, because a budget of NodePool general cannot be read: ${fault}`,
    ]);
  });
});

describe('the budget tracker', () => {
  const nodes = (count: number, over: Partial<FleetNode> = {}): FleetNode[] =>
    Array.from({ length: count }, (_, index) => ({ name: `n-${index}`, ...over }));
  const share = (nodes: string) => ({ pools: [willing({ budgets: [{ nodes }] })] });
  const goes = (fleet: Parameters<typeof decide>[0], ...busy: string[]) =>
    decide(fleet, busy.length > 0 ? [runningCommand(...busy)] : []).gone;

  it('counts managed, initialized nodes that are not terminating', () => {
    const fleet = aFleet(
      [
        ...nodes(10),
        { name: 'ending', claim: { deletingAt: NOON, drainedAt: NOON, terminatingAt: NOON } },
        { name: 'unmanaged' },
        { name: 'new' },
      ],
      share('10%'),
    );
    const counted = {
      ...fleet,
      claims: fleet.claims
        .filter(({ name }) => name !== 'unmanaged')
        .map(({ initializedAt, ...claim }) =>
          claim.name === 'new' || initializedAt === undefined ? claim : { ...claim, initializedAt },
        ),
    };

    expect(goes(counted)).toHaveLength(1);
  });

  it('subtracts nodes under disruption', () => {
    const going = aFleet([...nodes(9), { name: 'going', claim: { deletingAt: NOON } }], share('30%'));

    expect(goes(going)).toHaveLength(2);
    expect(goes(going, 'n-0')).toHaveLength(1);
    expect(goes(going, 'n-0', 'n-1')).toEqual([]);
  });

  it('subtracts nodes that are not Ready', () => {
    const fleet = aFleet(
      [...nodes(8), { name: 'down-1', node: { ready: false } }, { name: 'down-2', node: { ready: false } }],
      share('30%'),
    );

    expect(goes(fleet)).toHaveLength(1);
  });

  it('subtracts a node once if it is not Ready and under disruption', () => {
    const fleet = aFleet(
      [...nodes(9), { name: 'down', node: { ready: false }, claim: { deletingAt: NOON } }],
      share('30%'),
    );

    expect(goes(fleet)).toHaveLength(2);
  });

  it('never goes below zero', () => {
    const busy = nodes(9).map(({ name }) => name);
    const decision = decide(aFleet(nodes(10), share('10%')), [runningCommand(...busy)]);

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'n-9')).toBe('budget-exhausted');
  });

  it('keeps a separate budget for each pool', () => {
    const names = Array.from({ length: 10 }, (_, index) => `pool-${index}`);
    const fleet = aFleet(
      names.flatMap((pool) => [1, 2, 3].map((index) => ({ name: `${pool}-${index}`, pool }))),
      { pools: names.map((name) => willing({ budgets: [{ nodes: '2' }] }, name)) },
    );

    expect(goes(fleet)).toHaveLength(20);
  });

  it('names the next opening while a window keeps the pool closed', () => {
    const pools = [willing({ budgets: [{ nodes: '0', schedule: '0 9 * * *', durationMs: 8 * HOUR_MS }] })];
    const { verdicts } = decide(aFleet(nodes(1), { pools }));

    expect(verdicts.map(({ reason }) => formatReason(reason))).toEqual([
      'budget 0 allows no disruption for Empty, next window opens at 2026-01-01T17:00:00Z',
    ]);
  });

  it('ignores budgets for other reasons', () => {
    const pools = [willing({ budgets: [{ nodes: '0', reasons: ['Underutilized'] }] })];

    expect(goes(aFleet(nodes(2), { pools }))).toHaveLength(2);
  });
});

describe('findNextOpening', () => {
  const window = (hour: number, hours: number, nodes = '0'): Budget => ({
    nodes,
    schedule: `0 ${hour} * * *`,
    durationMs: hours * HOUR_MS,
  });
  const opening = (...budgets: Budget[]): number | undefined =>
    findNextOpening(willing({ budgets }), 'Empty', 10, NOON);

  it('is the end of the window that keeps the pool closed', () => {
    expect(opening(window(9, 8), { nodes: '10%' })).toBe(NOON + 5 * HOUR_MS);
  });

  it('passes over windows that follow without a gap', () => {
    expect(opening(window(9, 4), window(13, 2), window(14, 3))).toBe(NOON + 5 * HOUR_MS);
  });

  it.each<[string, Budget]>([
    ['is open', window(9, 8, '1')],
    ['is closed at other hours only', window(14, 8)],
    ['is always closed', { nodes: '0' }],
    ['has an unreadable budget', { nodes: '0', schedule: '@never', durationMs: HOUR_MS }],
    ['has windows that never end', window(0, 24)],
  ])('is undefined if the pool %s', (_, budget) => {
    expect(opening(budget)).toBeUndefined();
  });
});
