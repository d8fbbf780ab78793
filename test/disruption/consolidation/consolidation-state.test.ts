import { expect, it } from 'vitest';
import { createConsolidationState } from '../../../shared/disruption/consolidation/consolidation-state.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { NOON } from '../../support/builders.ts';
import { aFleet, web } from '../fleet.ts';

it('takes the room of pods that wait for a removed node, where they are placed instead', () => {
  const { nodeName: _, startedAt: __, ...pending } = web('waiting', 1);
  const waiting = { ...pending, phase: 'Pending', ready: false, unschedulableSince: NOON } as const;
  const fleet = aFleet(
    [
      { name: 'removed', type: 'medium', pods: [web('own', 3)] },
      { name: 'target', type: 'large', pods: [web('present', 1)] },
    ],
    { pods: [waiting] },
  );
  const state = createConsolidationState(prepare(fleet), new Set());
  expect(state.awaited.get('removed')).toEqual([waiting]);

  const after = state.after(['removed'], [{ target: 'target', pods: ['default/own', 'default/waiting'] }]);
  const { spec } = web('next', 1);
  expect(after.rooms.totalWithout([], spec)).toBe(8 - 1 - 3 - 1);
});
