import { describe, expect, it } from 'vitest';
import { describeGaps } from '../../../cli/cluster/read-gaps.ts';

describe('the kinds that may not be read', () => {
  it('are named once for what is unknown because of them, the most important first', () => {
    expect(
      describeGaps([
        { resource: 'jobs', cause: 'forbidden' },
        { resource: 'poddisruptionbudgets', cause: 'forbidden' },
        { resource: 'replicasets', cause: 'forbidden' },
        { resource: 'widgets', cause: 'forbidden' },
      ]),
    ).toEqual([
      'Not allowed to list and watch poddisruptionbudgets: removals are proposed as if no PodDisruptionBudget existed.',
      'Not allowed to list and watch jobs, replicasets: it is unknown how many pods their owners have still to create.',
      'Not allowed to list and watch widgets: decisions leave them out.',
    ]);
  });
});
