import { describe, expect, it } from 'vitest';
import { WORK_LIMITS } from '../../../shared/scheduling/input/work-limits.ts';
import { prepareCluster, prepareRemovals } from '../../../shared/scheduling/removal/removal-state.ts';
import { type RemovalOutcome, simulateRemoval } from '../../../shared/scheduling/removal/simulate-removal.ts';
import { aSnapshot, podsOf } from '../../support/builders.ts';

/** Simulates a removal after others have taken this many operations. */
function simulateAfter(operations: number): RemovalOutcome {
  const problem = prepareCluster(aSnapshot());
  problem.work.spend(operations - problem.work.spent());
  const removal = {
    nodes: [],
    pods: podsOf(2_000),
    mayReceive: new Set<string>(),
    mayLaunch: true,
    mayLaunchSeveral: false,
    mayKeepTogether: false,
    maySpotReplaceSpot: false,
    maxReplacementUsd: Infinity,
    decision: 'd-1',
  };
  return simulateRemoval(removal, prepareRemovals(problem));
}

describe('a simulated removal that is stopped', () => {
  it('says that the removals of the plan together took too much, with their true limit', () => {
    const limit = WORK_LIMITS.allRemovals;
    expect(simulateAfter(limit - 1)).toMatchObject({
      outcome: 'pods-left',
      count: 2_000,
      reason: {
        code: 'too-complex',
        fields: {
          what: 'operations with the other nodes of this plan',
          number: `more than ${limit}`,
          limit: `${limit}`,
        },
      },
    });
  });
});
