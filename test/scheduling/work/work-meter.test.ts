import { describe, expect, it } from 'vitest';
import { createWorkMeter, WorkLimitError } from '../../../shared/scheduling/data-structures/work-meter.ts';

describe('the work meter', () => {
  it('counts without a limit', () => {
    const meter = createWorkMeter();
    meter.spend(3);
    meter.spend(4);

    expect(meter.spent()).toBe(7);
  });

  it('tells what the limit leaves', () => {
    const meter = createWorkMeter();
    const result = meter.tryWithin(10, () => {
      meter.spend(3);
      return { remaining: meter.remaining() };
    });

    expect(result).toEqual({ remaining: 7 });
    expect(meter.remaining()).toBe(Infinity);
  });

  it('ends work that exceeds its limit', () => {
    const meter = createWorkMeter();
    const result = meter.tryWithin(10, () => {
      for (;;) meter.spend(3);
    });

    expect(result).toBeUndefined();
    // The last amount was refused, so its work was not done.
    expect(meter.spent()).toBe(10);
  });

  it('returns the result of work within its limit', () => {
    const meter = createWorkMeter();

    expect(meter.tryWithin(10, () => ({ spent: meter.spend(10) }))).toBeDefined();
  });

  it('lets the outer work fail if an inner limit is larger than what is left', () => {
    const meter = createWorkMeter();
    const inner = () => meter.tryWithin(100, () => ({ spent: meter.spend(50) }));

    expect(() =>
      meter.tryWithin(40, () => {
        expect(inner).toThrow(WorkLimitError);
        return { inner: inner() };
      }),
    ).not.toThrow();
  });

  it('gives optional work at most half of what is left', () => {
    const meter = createWorkMeter();
    const result = meter.tryWithin(40, () => {
      const improved = meter.tryOptional(100, () => ({ spent: meter.spend(21) }));
      return { improved, spent: meter.spent() };
    });

    expect(result).toEqual({ improved: undefined, spent: 20 });
  });

  it('passes other errors on', () => {
    const meter = createWorkMeter();

    expect(() =>
      meter.tryWithin(1, () => {
        throw new RangeError('another error');
      }),
    ).toThrow(RangeError);
  });
});
