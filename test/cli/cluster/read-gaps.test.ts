import { describe, expect, it } from 'vitest';
import { listForbiddenKinds } from '../../../cli/cluster/read-gaps.ts';

describe('the kinds that may not be read', () => {
  it('are named with what is unknown because of each, and kinds without a CRD are not', () => {
    expect(
      listForbiddenKinds([
        { resource: 'poddisruptionbudgets', cause: 'forbidden' },
        { resource: 'capacitybuffers', cause: 'not-served' },
        { resource: 'widgets', cause: 'forbidden' },
      ]),
    ).toEqual([
      'may not read poddisruptionbudgets: removals are proposed as if no PodDisruptionBudget existed',
      'may not read widgets: decisions leave them out',
    ]);
  });
});
