import { describe, expect, it } from 'vitest';
import type { Clock } from '../../shared/ports/ports.ts';

/** What every clock keeps. @param pass - lets some time go by */
export function clockContract(
  adapter: string,
  create: () => Promise<{ readonly clock: Clock; pass(): Promise<void> }>,
): void {
  describe(`Clock: ${adapter}`, () => {
    it('tells whole milliseconds, and never an earlier time than before', async () => {
      const { clock, pass } = await create();
      const before = clock.now();

      await pass();

      expect(Number.isInteger(before)).toBe(true);
      expect(clock.now()).toBeGreaterThanOrEqual(before);
    });
  });
}
