import { expect, it } from 'vitest';
import { createLivePlanner } from '../../../cli/console/live-planner.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { aNode, aNodeClaim, aNodePool, anInitializedClaim, aPod, aSnapshot, NOON } from '../../support/builders.ts';

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

it('says when a plan is due that it has put off, so that the last change is planned too', () => {
  const planner = createLivePlanner();
  const waiting = (at: number, ...names: readonly string[]) =>
    planner.update(aSnapshot({ takenAt: at, pools: [aNodePool()], pods: names.map((name) => aPod({ name })) }));

  expect(waiting(NOON, 'web-1')).toBeUndefined();
  const due = waiting(NOON + 100, 'web-1', 'web-2') ?? Number.NaN;
  expect(due).toBeGreaterThanOrEqual(NOON + 500);
  waiting(due, 'web-1', 'web-2');

  const { plan } = planner.decisions().findLast(({ kind }) => kind === 'provisioning') ?? {};
  expect(JSON.stringify(plan)).toContain('default/web-2');
});
