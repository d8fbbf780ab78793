import { describe, expect, it } from 'vitest';
import { createTimeLimit } from '../../functions/support/time-limit.ts';

const anInvocation = (remainingMs: number) => ({
  context: { getRemainingTimeInMillis: () => remainingMs },
});

describe('the time limit of a function', () => {
  it('is that of the invocation that runs, and has no end between invocations', () => {
    const limit = createTimeLimit();
    limit.before(anInvocation(4_000));
    expect(limit.timeLeft()).toBe(4_000);
    limit.after();
    expect(limit.timeLeft()).toBe(Number.POSITIVE_INFINITY);
    limit.before(anInvocation(60_000));
    expect(limit.timeLeft()).toBe(60_000);
  });

  it('ends with an invocation that failed', () => {
    const limit = createTimeLimit();
    limit.before(anInvocation(4_000));
    limit.onError();

    expect(limit.timeLeft()).toBe(Number.POSITIVE_INFINITY);
  });
});
