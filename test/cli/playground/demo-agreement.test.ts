import { describe, expect, it } from 'vitest';
import { DEMO_SCENES } from '../../../cli/demo/script.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { listBrokenPromises, listDisagreements } from './demo-agreement.ts';
import { walkDemo } from './demo-walk.ts';

const SCENES = DEMO_SCENES.map(({ at }) => at);

describe('the page of the demo', () => {
  it('says of each node what its export explains, and what then happens', async () => {
    const walk = await walkDemo(1, [2, 8, 10, 14]);

    expect(walk.moments.length).toBeGreaterThan(15);
    expect(new Set(walk.moments.map(({ outcome }) => outcome))).toEqual(new Set(['stays', 'goes', 'starting']));
    expect(listDisagreements(walk)).toEqual([]);
    expect(listBrokenPromises(walk, SCENES)).toEqual([]);
  });

  it('exports the settings that its planner decides with', async () => {
    const settings = { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any' } as const;
    const walk = await walkDemo(1, [2], settings);

    expect(walk.settings).toEqual([settings]);
  });
});
