import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCheckSource } from '../../../cli/controller/hint-sources.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process on stand-by, or one whose API server does not answer. */
const listener = { send: () => undefined, isOwner: () => false };

describe('a check that needs no API server', () => {
  it('runs at once and each minute, also while another process owns the cluster', async () => {
    const check = vi.fn(async () => undefined);
    const source = createCheckSource(check, () => undefined);
    source.start(listener);
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
    await source.stop();
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);

    expect(check).toHaveBeenCalledTimes(4);
  });

  it('is reported if it fails, and runs again', async () => {
    const errors: unknown[] = [];
    const source = createCheckSource(
      () => Promise.reject(new Error('denied')),
      (error) => errors.push(String(error)),
    );
    source.start(listener);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    await source.stop();

    expect(errors).toEqual(['Error: denied', 'Error: denied']);
  });

  it('does not start again while it runs', async () => {
    const check = vi.fn(() => new Promise<void>(() => undefined));
    const source = createCheckSource(check, () => undefined);
    source.start(listener);
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);

    expect(check).toHaveBeenCalledTimes(1);
  });
});
