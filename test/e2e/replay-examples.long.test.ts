import { describe, expect, it } from 'vitest';
import { isReplayedEqually } from '../../cli/record/replay-decision.ts';
import { HOUR_MS } from '../../shared/model/time.ts';
import { readStored } from '../record/support/read-stored.ts';
import { recordExample } from '../record/support/record-example.ts';

describe('every decision of an example', () => {
  it.each([
    ['blocked', 2],
    ['capacity-buffer', 6],
    ['daemonset-overhead', 6],
    ['day-and-night', 24],
    ['default-spread', 6],
    ['gpu-job', 6],
    ['mixed-arch', 6],
    ['spot-batch', 6],
    ['stateful-set', 6],
    ['volumes', 6],
    ['web-three-zones', 12],
  ])('%s is made again byte for byte from its record over %d hours', async (example, hours) => {
    const store = await recordExample(example, hours * HOUR_MS);
    const paths = store.decisionPaths();

    expect(paths.length).toBeGreaterThan(0);
    const different = paths.filter((path) => !isReplayedEqually(readStored(store, path)));
    expect(different).toEqual([]);
  });
});
