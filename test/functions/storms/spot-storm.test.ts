import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { instanceIdOf } from '../../support/limits/planned-fleet.ts';
import { runSpotStorm } from './spot-storm.ts';

describe('spot notices at once', () => {
  it('start all replacements within ten seconds: 200 of 1,024 nodes', async () => {
    const storm = await runSpotStorm(1_024, 200, instanceIdOf);

    expect(storm).toMatchObject({ deadLetters: 0, unhandled: 0, deleting: 200 });
    expect(storm.lastDeletedAfterMs).toBeLessThan(10 * SECOND_MS);
    // A few rows for each notice, never a list.
    expect(storm.readUnits).toBeLessThan(200 * 20);
  });

  it('reach no dead-letter queue if all are for instances of others', async () => {
    const storm = await runSpotStorm(1_024, 200, (index) => `i-other${index}`);

    expect(storm).toMatchObject({ deadLetters: 0, unhandled: 0, deleting: 0 });
  });
});
