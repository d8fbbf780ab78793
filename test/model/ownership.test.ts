import { describe, expect, it } from 'vitest';
import {
  evaluateLease,
  type Owner,
  type OwnerLease,
  releaseLease,
} from '../../shared/model/ownership.ts';
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
  return { lease: write, calmUntil: status.calmUntil };
}

const first = controller('host-1');
const held = (now = NOON): OwnerLease => acquire(first, now).lease;

describe('the calm time of a new owner', () => {
  it('does not exist in a cluster that never had an owner', () => {
    expect(acquire(first, NOON).calmUntil).toBeUndefined();
  });

  it.each([
    ['released its lease', releaseLease(held(), NOON + SECOND_MS)],
    ['crashed', held()],
  ])('does not start when the same controller restarts after it %s', (_, lease) => {
    const again = acquire(controller('host-2'), NOON + MINUTE_MS, { lease });
    expect(again.calmUntil).toBeUndefined();
  });

  it.each([
    ['the functions of the stack', functions],
    ['another stack', controller('host-2', 'other')],
    ['a stack with a similar name', controller('host-2', 'sho')],
  ])('starts for %s, whether or not the lease was released', (_, next) => {
    const now = NOON + MINUTE_MS;
    expect(acquire(next, now, { lease: held() }).calmUntil).toBe(now + 10 * MINUTE_MS);
    const released = releaseLease(held(), NOON);
    expect(acquire(next, now, { lease: released }).calmUntil).toBe(now + 10 * MINUTE_MS);
  });

  it('goes on when the new owner restarts, and does not start again', () => {
    const { lease } = acquire(functions, NOON + MINUTE_MS, { lease: held() });
    const until = NOON + 11 * MINUTE_MS;
    const back = acquire(first, NOON + 2 * MINUTE_MS, { lease });
    expect(back.calmUntil).toBe(NOON + 12 * MINUTE_MS);

    const restarted = acquire(functions, NOON + 5 * MINUTE_MS, {
      lease: releaseLease(lease, NOON + 4 * MINUTE_MS),
    });
    expect(restarted.calmUntil).toBe(until);
    const later = acquire(functions, until, { lease: releaseLease(lease, until - SECOND_MS) });
    expect(later.calmUntil).toBeUndefined();
  });

  it('does not start if the other owner has been silent for longer', () => {
    const silent = (ms: number) => acquire(functions, NOON + ms, { lease: held() }).calmUntil;
    expect(silent(10 * MINUTE_MS - 1)).toBe(NOON + 20 * MINUTE_MS - 1);
    expect(silent(10 * MINUTE_MS)).toBeUndefined();
  });

  it.each([
    ['without a time', 0, false],
    ['of an hour ago', NOON - HOUR_MS, false],
    ['of two minutes ago', NOON - 2 * MINUTE_MS, true],
  ])('depends on when Karpenter was active: a lease %s', (_, karpenterRenewedAt, isCalm) => {
    const { calmUntil } = acquire(first, NOON, { karpenterRenewedAt });
    expect(calmUntil).toBe(isCalm ? NOON + 10 * MINUTE_MS : undefined);
  });

  it('starts if Karpenter owned the cluster since our last renewal', () => {
    const cluster = { lease: held(NOON - HOUR_MS), karpenterRenewedAt: NOON - 2 * MINUTE_MS };
    expect(acquire(first, NOON, cluster).calmUntil).toBe(NOON + 10 * MINUTE_MS);
  });

  it('stays on the lease until it is over', () => {
    const { lease } = acquire(functions, NOON, { lease: held(NOON - MINUTE_MS) });
    const input = { self: functions, lease, force: false };
    const statusAt = (now: EpochMs) => evaluateLease({ ...input, now }).status;
    expect(statusAt(NOON + MINUTE_MS)).toEqual({
      outcome: 'owner',
      calmUntil: NOON + 10 * MINUTE_MS,
    });
    expect(statusAt(NOON + 10 * MINUTE_MS)).toEqual({ outcome: 'owner' });
  });
});
