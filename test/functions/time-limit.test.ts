import { describe, expect, it } from 'vitest';
import { createTimeLimit } from '../../functions/support/time-limit.ts';

const anInvocation = (remainingMs: number) => ({
  context: { getRemainingTimeInMillis: () => remainingMs },
});

describe('the time limit of a function', () => {
  it('is that of the invocation that runs, and has no end between invocations', () => {
    const { before, after, timeLeft } = createTimeLimit();
    before(anInvocation(4_000));
    expect(timeLeft()).toBe(4_000);
    after();
    expect(timeLeft()).toBe(Number.POSITIVE_INFINITY);
    before(anInvocation(60_000));
    expect(timeLeft()).toBe(60_000);
  });

  it('ends with an invocation that failed', () => {
    const { before, onError, timeLeft } = createTimeLimit();
    before(anInvocation(4_000));
    onError();

    expect(timeLeft()).toBe(Number.POSITIVE_INFINITY);
  });
});
