import { expect, it } from 'vitest';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { instanceIdOf } from '../../support/limits/planned-fleet.ts';
import { runSpotStorm } from './spot-storm.ts';

it('starts the replacements of 500 of 5,000 nodes within 30 seconds of their notices', async () => {
  const storm = await runSpotStorm(5_000, 500, instanceIdOf);

  expect(storm).toMatchObject({ deadLetters: 0, unhandled: 0, deleting: 500 });
  expect(storm.lastDeletedAfterMs).toBeLessThan(30 * SECOND_MS);
});
