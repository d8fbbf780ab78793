import { describe, expect, it } from 'vitest';
import { isReplayedEqually } from '../../cli/record/replay-decision.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { readStored } from './support/read-stored.ts';
import { recordExample } from './support/record-example.ts';

describe('a recorded decision', () => {
  it.each(['blocked', 'web-three-zones', 'stateful-set', 'spot-batch', 'gpu-job'])(
    'of %s is made again byte for byte from its record',
    async (example) => {
      const store = await recordExample(example, 20 * MINUTE_MS);
      const decisions = store.decisionPaths().map((path) => readStored(store, path));

      expect(decisions.length).toBeGreaterThan(1);
      expect(decisions.filter((decision) => !isReplayedEqually(decision)).map(({ id }) => id)).toEqual([]);
    },
  );
});
