import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computePace, findSpread, MAX_SPREAD_MS, MOVE_MS } from '../../shared/disruption/window-pace.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';
import type { Budget } from '../../shared/model/nodes/node-pool.ts';
import { formatInstant, HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { aFleet, decide, type FleetNode, runningCommand, web, webs, willing } from './fleet.ts';

/** A budget that closes the pool for some hours, from this hour of each day on. */
const closedFrom = (hour: number, hours: number, over: Partial<Budget> = {}): Budget => ({
  nodes: '0',
  schedule: `0 ${hour} * * *`,
  durationMs: hours * HOUR_MS,
  ...over,
});

describe('the spread of moves after a window has opened', () => {
  const spread = (now: number, ...budgets: readonly Budget[]): string | undefined => {
    const active = findSpread(willing({ budgets }), 'Drifted', 10, now);
    return active && `${formatInstant(active.openedAt).slice(11, 16)}-${formatInstant(active.until).slice(11, 16)}`;
  };
  const at = (time: string): number => Date.parse(`2026-01-01T${time}:00Z`);

  it.each<[string, string, readonly Budget[], string | undefined]>([
    ['lasts an hour in a long window', '12:00', [closedFrom(9, 3)], '12:00-13:00'],
    ['is active until it ends', '12:59', [closedFrom(9, 3)], '12:00-13:00'],
    ['ends', '13:00', [closedFrom(9, 3)], undefined],
    ['lasts half of a short window', '12:10', [closedFrom(9, 3), closedFrom(13, 20)], '12:00-12:30'],
    ['ends in the middle of a short window', '12:30', [closedFrom(9, 3), closedFrom(13, 20)], undefined],
    ['has not begun while the window is closed', '11:59', [closedFrom(9, 3)], undefined],
    ['begins when the last budget opens', '13:30', [closedFrom(9, 3), closedFrom(10, 3)], '13:00-14:00'],
    ['does not begin at a larger budget', '12:30', [closedFrom(9, 3, { nodes: '1' }), { nodes: '5' }], undefined],
    ['does not begin for other reasons', '12:30', [closedFrom(9, 3, { reasons: ['Empty'] })], undefined],
    ['does not exist in a window that is always open', '12:30', [{ nodes: '10%' }], undefined],
    ['does not exist without budgets', '12:30', [], undefined],
    ['does not exist if a budget cannot be read', '12:30', [closedFrom(9, 3), { nodes: 'x' }], undefined],
    ['respects time zones', '12:30', [closedFrom(9, 3, { schedule: 'CRON_TZ=Asia/Tokyo 0 18 * * *' })], '12:00-13:00'],
  ])('%s: at %s', (_, now, budgets, expected) => {
    expect(spread(at(now), ...budgets)).toBe(expected);
  });
});

describe('the pace of moves', () => {
  it.each([
    ['spreads them evenly', 22, 60, 2],
    ['is one at a time for few nodes', 3, 60, 1],
    ['rises while time runs out', 22, 15, 11],
    ['has no limit when the last move must have started', 22, 5, Infinity],
    ['is never 0', 0, 60, 1],
  ])('%s: %i nodes in %i minutes', (_, waiting, minutes, expected) => {
    expect(computePace(NOON + minutes * MINUTE_MS, waiting, NOON)).toBe(expected);
  });

  const anyWaiting = fc.integer({ min: 1, max: 5_000 });
  const anySpreadMs = fc.integer({ min: 0, max: MAX_SPREAD_MS });

  it('never falls while the same nodes wait', () => {
    fc.assert(
      fc.property(anyWaiting, anySpreadMs, anySpreadMs, (waiting, a, b) => {
        const until = NOON + MAX_SPREAD_MS;
        const [earlier, later] = [Math.min(a, b), Math.max(a, b)].map((ms) => computePace(until, waiting, NOON + ms));

        expect(earlier).toBeLessThanOrEqual(later ?? 0);
      }),
    );
  });

  it('lets every move end by the end of the spread, without a burst at its end', () => {
    fc.assert(
      fc.property(anyWaiting, (waiting) => {
        const until = NOON + MAX_SPREAD_MS;
        const atOnce: number[] = [];
        let remaining = waiting;
        for (let now = NOON; remaining > 0; now += MOVE_MS) {
          const started = Math.min(remaining, computePace(until, remaining, now));
          atOnce.push(started);
          remaining -= started;
          expect(now + MOVE_MS).toBeLessThanOrEqual(until);
        }

        expect(Math.max(...atOnce)).toBe(atOnce[0]);
        expect(atOnce[0]).toBe(Math.ceil((waiting * MOVE_MS) / (MAX_SPREAD_MS - MOVE_MS)));
      }),
    );
  });
});

describe('when a window has just opened', () => {
  const pools = [willing({ budgets: [{ nodes: '100%' }, closedFrom(9, 3)] })];
  const minutesAgo = (minutes: number) => NOON - minutes * MINUTE_MS;
  const drifted = (name: string, sinceMin: number): FleetNode => ({
    name,
    pods: [web(`p-${name}`)],
    claim: { drift: { reason: 'NodePoolDrifted', text: 'changed', since: minutesAgo(sinceMin) } },
  });
  const driftedNodes = ['a', 'b', 'c', 'd'].map((name, index) => drifted(name, 10 + index));

  it('the node that drifted first is replaced alone', () => {
    const fleet = aFleet(driftedNodes, { pools });

    expect(decide(fleet).gone).toEqual(['d']);
    const next = decide(fleet, [runningCommand('d')]);
    expect(next.gone).toEqual([]);
    expect(next.verdicts.map(({ reason }) => formatReason(reason))).toContain(
      'window for Drifted opened at 2026-01-01T12:00:00Z: its moves are spread until 2026-01-01T13:00:00Z, now 1 at a time',
    );
  });

  it('drifted nodes go as fast as the budget allows once the spread has ended', () => {
    const fleet = { ...aFleet(driftedNodes, { pools }), takenAt: NOON + HOUR_MS };

    expect(decide(fleet, [runningCommand('d')]).gone).toEqual(['c']);
  });

  /** Two nodes with a pod each, that fit on a third one. */
  const underused = (quietA: number, quietB: number) =>
    aFleet(
      [
        { name: 'a', pods: [web('p')], claim: { lastPodEventAt: minutesAgo(quietA) } },
        { name: 'b', pods: [web('q')], claim: { lastPodEventAt: minutesAgo(quietB) } },
        { name: 'full', type: 'large', pods: webs(3, 'r', 2) },
      ],
      { pools },
    );

  it.each([
    ['a', 50, 40],
    ['b', 40, 50],
  ])('the node whose pods have been quiet for longest is consolidated first: %s', (name, a, b) => {
    expect(decide(underused(a, b)).gone).toEqual([name]);
  });

  it('nodes are consolidated together once the spread has ended', () => {
    const fleet = { ...underused(50, 40), takenAt: NOON + HOUR_MS };

    expect(decide(fleet).gone).toEqual(['a', 'b']);
  });

  it('a node that cannot move does not keep the others from moving', () => {
    const fleet = aFleet(
      [
        { name: 'stuck', pods: webs(2, 's', 1), claim: { lastPodEventAt: minutesAgo(59) } },
        { name: 'b', pods: [web('q')], claim: { lastPodEventAt: minutesAgo(10) } },
        { name: 'full', type: 'large', pods: webs(3, 'r', 2.4) },
      ],
      { pools },
    );

    expect(decide(fleet).gone).toEqual(['b']);
  });

  it('empty nodes go at once', () => {
    const fleet = aFleet([{ name: 'a' }, { name: 'b' }, { name: 'c' }], { pools });

    expect(decide(fleet).gone).toEqual(['a', 'b', 'c']);
  });
});
