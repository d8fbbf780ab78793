import { expect, it } from 'vitest';
import { createLivePlanner } from '../../../cli/console/live-planner.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aNode, aNodeClaim, aNodePool, anInitializedClaim, aSnapshot, NOON } from '../../support/builders.ts';

it('judges a node within three seconds after it is ready, and not with each change', () => {
  const planner = createLivePlanner();
  const starting = { pools: [aNodePool()], claims: [aNodeClaim({ name: 'general-1' })] };
  const ready = {
    pools: [aNodePool()],
    claims: [anInitializedClaim('node-1', { name: 'general-1' })],
    nodes: [aNode()],
  };
  const judged = (at: number, over: Parameters<typeof aSnapshot>[0]): readonly string[] => {
    planner.update(aSnapshot({ takenAt: at, ...over }));
    const { plan } = planner.decisions().at(-1) ?? {};
    return plan && 'verdicts' in plan ? plan.verdicts.map(({ claim }) => claim) : [];
  };

  expect(judged(NOON, starting)).toEqual([]);
  expect(judged(NOON + SECOND_MS, ready)).toEqual([]);
  expect(judged(NOON + 3 * SECOND_MS, ready)).toEqual(['general-1']);
});
