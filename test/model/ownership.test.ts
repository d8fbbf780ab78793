import { describe, expect, it } from 'vitest';
import { evaluateLease, type Owner, type OwnerLease, releaseLease } from '../../shared/model/ownership.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';

const functions: Owner = { stack: 'shop', mode: 'lambda' };
const controller = (process: string, stack = 'shop'): Owner => ({
  stack,
  mode: 'controller',
  process,
});

interface Cluster {
  readonly lease?: OwnerLease;
  readonly karpenterRenewedAt?: EpochMs;
}

function acquire(self: Owner, now: EpochMs, cluster: Cluster = {}) {
  const { status, write } = evaluateLease({ self, now, force: true, ...cluster });
  if (status.outcome !== 'owner' || !write) throw new Error('the lease is not acquired');
  return { lease: write, quietUntil: status.quietUntil };
}

const first = controller('host-1');
const held = (now = NOON, stack = 'shop'): OwnerLease => acquire(controller('host-1', stack), now).lease;

describe('the quiet time of a new owner', () => {
  it('does not exist in a cluster that never had an owner', () => {
    expect(acquire(first, NOON).quietUntil).toBeUndefined();
  });

  it.each([
    ['released its lease', releaseLease(held(), NOON + SECOND_MS)],
    ['crashed', held()],
  ])('does not start for processes of the same stack after one of them %s', (_, lease) => {
    for (const next of [controller('host-2'), functions])
      expect(acquire(next, NOON + MINUTE_MS, { lease }).quietUntil).toBeUndefined();
  });

  it('does not start when the functions take over from a controller and back', () => {
    const { lease } = acquire(functions, NOON + MINUTE_MS, { lease: held() });
    expect(acquire(first, NOON + 2 * MINUTE_MS, { lease }).quietUntil).toBeUndefined();
  });

  it('starts if the functions of an uninstalled stack take over', () => {
    const uninstall: Owner = { stack: 'shop', mode: 'uninstall' };
    const { lease } = acquire(uninstall, NOON, { lease: held(NOON - MINUTE_MS) });
    const released = releaseLease(lease, NOON + MINUTE_MS);
    const next = acquire(first, NOON + 2 * MINUTE_MS, { lease: released });
    expect(next.quietUntil).toBe(NOON + 12 * MINUTE_MS);
  });

  it.each([
    ['the functions of another stack', { ...functions, stack: 'other' }],
    ['another stack', controller('host-2', 'other')],
    ['a stack with a similar name', controller('host-2', 'sho')],
  ])('starts for %s, whether or not the lease was released', (_, next) => {
    const now = NOON + MINUTE_MS;
    expect(acquire(next, now, { lease: held() }).quietUntil).toBe(now + 10 * MINUTE_MS);
    const released = releaseLease(held(), NOON);
    expect(acquire(next, now, { lease: released }).quietUntil).toBe(now + 10 * MINUTE_MS);
  });

  it('goes on when the new owner restarts, and does not start again', () => {
    const other = held(NOON, 'other');
    const { lease } = acquire(functions, NOON + MINUTE_MS, { lease: other });
    const until = NOON + 11 * MINUTE_MS;
    const sibling = acquire(first, NOON + 2 * MINUTE_MS, { lease });
    expect(sibling.quietUntil).toBe(until);

    const restarted = acquire(functions, NOON + 5 * MINUTE_MS, {
      lease: releaseLease(lease, NOON + 4 * MINUTE_MS),
    });
    expect(restarted.quietUntil).toBe(until);
    const later = acquire(functions, until, { lease: releaseLease(lease, until - SECOND_MS) });
    expect(later.quietUntil).toBeUndefined();
  });

  it('does not start if the other owner has been silent for longer', () => {
    const silent = (ms: number) => acquire(functions, NOON + ms, { lease: held(NOON, 'other') }).quietUntil;
    expect(silent(10 * MINUTE_MS - 1)).toBe(NOON + 20 * MINUTE_MS - 1);
    expect(silent(10 * MINUTE_MS)).toBeUndefined();
  });

  it.each([
    ['without a time', 0, false],
    ['of an hour ago', NOON - HOUR_MS, false],
    ['of two minutes ago', NOON - 2 * MINUTE_MS, true],
  ])('depends on when Karpenter was active: a lease %s', (_, karpenterRenewedAt, isQuiet) => {
    const { quietUntil } = acquire(first, NOON, { karpenterRenewedAt });
    expect(quietUntil).toBe(isQuiet ? NOON + 10 * MINUTE_MS : undefined);
  });

  it('starts if Karpenter owned the cluster since our last renewal', () => {
    const cluster = { lease: held(NOON - HOUR_MS), karpenterRenewedAt: NOON - 2 * MINUTE_MS };
    expect(acquire(first, NOON, cluster).quietUntil).toBe(NOON + 10 * MINUTE_MS);
  });

  it('stays on the lease until it is over', () => {
    const { lease } = acquire(functions, NOON, { lease: held(NOON - MINUTE_MS, 'other') });
    const input = { self: functions, lease, force: false };
    const statusAt = (now: EpochMs) => evaluateLease({ ...input, now }).status;
    expect(statusAt(NOON + MINUTE_MS)).toEqual({
      outcome: 'owner',
      quietUntil: NOON + 10 * MINUTE_MS,
    });
    expect(statusAt(NOON + 10 * MINUTE_MS)).toEqual({ outcome: 'owner' });
  });
});
