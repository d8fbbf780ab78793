import { expect, it } from 'vitest';
import { DEMO_SCENES } from '../../../cli/demo/script.ts';
import { listBrokenPromises, listDisagreements } from './demo-agreement.ts';
import { walkDemo } from './demo-walk.ts';

const EACH_MINUTE = Array.from({ length: 29 }, (_, index) => index + 1);

it.each([1, 2, 3])(
  'says in each minute of the demo what the export explains, and what then happens: seed %i',
  async (seed) => {
    const walk = await walkDemo(seed, EACH_MINUTE);

    expect(walk.moments.length).toBeGreaterThan(100);
    expect(listDisagreements(walk)).toEqual([]);
    expect(
      listBrokenPromises(
        walk,
        DEMO_SCENES.map(({ at }) => at),
      ),
    ).toEqual([]);
  },
);
