import { describe, expect, it } from 'vitest';
import { markDeleting } from '../../../shared/lifecycle/termination/deletion.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { anInitializedClaim, NOON } from '../../support/builders.ts';

const claim = anInitializedClaim('node-1');
const unhurried = anInitializedClaim('node-1', { terminationGracePeriodMs: 300 * SECOND_MS });

describe('marking a claim for deletion', () => {
  it('sets the deadline by the grace period', () => {
    expect(markDeleting(unhurried, { removal: 'Drifted', at: NOON })).toEqual({
      ...unhurried,
      deletingAt: NOON,
      removal: 'Drifted',
      drainDeadline: NOON + 300 * SECOND_MS,
    });
  });

  it('keeps an earlier deadline', () => {
    const deadline = NOON + 2 * MINUTE_MS;
    const interrupted = markDeleting(unhurried, { removal: 'Interrupted', at: NOON, deadline });

    expect(interrupted.drainDeadline).toBe(deadline);
    expect(markDeleting(interrupted, { removal: 'Expired', at: NOON })).toBe(interrupted);
  });

  it('sets no deadline without a grace period', () => {
    const after = markDeleting(claim, { removal: 'Empty', at: NOON });

    expect(after).not.toHaveProperty('drainDeadline');
  });

  it('sets the deadline at once for a grace period of 0', () => {
    const hasty = anInitializedClaim('node-1', { terminationGracePeriodMs: 0 });

    expect(markDeleting(hasty, { removal: 'Empty', at: NOON }).drainDeadline).toBe(NOON);
  });

  it('keeps time and reason of an earlier deletion, and accepts an earlier deadline', () => {
    const going = markDeleting(claim, { removal: 'Underutilized', at: NOON });
    const at = NOON + MINUTE_MS;
    const deadline = at + 2 * MINUTE_MS;

    expect(markDeleting(going, { removal: 'Interrupted', at, deadline })).toEqual({
      ...going,
      drainDeadline: deadline,
    });
    expect(markDeleting(going, { removal: 'Expired', at })).toBe(going);
  });
});
