import { describe, expect, it } from 'vitest';
import { isReplayedEqually } from '../../cli/record/replay-decision.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import { readStored } from './support/read-stored.ts';
import { recordExample } from './support/record-example.ts';

describe('the decisions of a day of 5,000 pods', () => {
  it('are made again byte for byte from their records', async () => {
    const store = await recordExample('day-of-5000-pods', 24 * HOUR_MS);
    const paths = store.decisionPaths();
    const different = paths
      .map((path) => readStored(store, path))
      .filter((decision) => !isReplayedEqually(decision));

    expect(paths.length).toBeGreaterThan(500);
    expect(different.map(({ id }) => id)).toEqual([]);
  });
});
