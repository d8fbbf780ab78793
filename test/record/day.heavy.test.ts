import { describe, expect, it } from 'vitest';
import { isReplayedEqually } from '../../cli/record/replay-decision.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import { readStored } from './support/read-stored.ts';
import { recordExample } from './support/record-example.ts';

describe('the decisions of a day of 5,000 pods', () => {
  it('are made again byte for byte from their records', async () => {
    const store = await recordExample('day-of-5000-pods', 24 * HOUR_MS);
    const paths = store.decisionPaths();
    // One at a time: all snapshots of the day together do not fit into the memory.
    const different = paths.filter((path) => !isReplayedEqually(readStored(store, path)));

    expect(paths.length).toBeGreaterThan(500);
    expect(different).toEqual([]);
  });
});
