import { describe, expect, it } from 'vitest';
import { simulateHour } from './calm-moves.ts';

describe('the first hour', () => {
  it.each(['demo', 'examples/web-three-zones', 'examples/mixed-arch'])(
    'of %s moves no pods for little money, or for money that comes late',
    { timeout: 120_000 },
    async (folder) => {
      expect((await simulateHour(folder)).churn).toEqual([]);
    },
  );
});
