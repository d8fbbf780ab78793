import { describe, expect, it } from 'vitest';
import type { Pod } from '../../shared/model/pods/pod.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { aFleet, decide, type Fleet, type FleetNode, findStayReason, web, willing } from './fleet.ts';

const owner = (kind: string) => ({ kind, name: 'owner', uid: 'owner' });
const one = (node: Partial<FleetNode> = {}, over: Fleet = {}) => decide(aFleet([{ name: 'a', ...node }], over));
const withPod = (pod: Partial<Pod>) => one({ pods: [{ ...web('p'), ...pod }] });

describe('empty nodes', () => {
  it('are removed in one command, as many as the budget allows, the most expensive first', () => {
    const nodes = Array.from({ length: 10 }, (_, index) => ({
      name: `n-${index}`,
      type: index < 4 ? 'large' : 'small',
    }));
    const decision = decide(aFleet(nodes, { pools: [willing({ budgets: [{ nodes: '30%' }] })] }));

    expect(decision.command).toMatchObject({ reason: 'Empty', replacements: [], placements: [] });
    expect(decision.gone).toEqual(['n-0', 'n-1', 'n-2']);
    expect(decision.command?.savingHourlyUsd).toBeCloseTo(1.2);
    expect(findStayReason(decision, 'n-3')).toBe('budget-exhausted');
  });

  it.each<[string, Partial<Pod>]>([
    ['DaemonSet pods', { owner: owner('DaemonSet') }],
    ['static pods', { owner: owner('Node') }],
    ['finished pods', { phase: 'Succeeded' }],
    ['terminating pods of a Deployment', { deletionAt: NOON }],
  ])('count as empty with %s', (_, pod) => {
    expect(withPod(pod).command?.reason).toBe('Empty');
  });

  it('do not count as empty with terminating pods of a StatefulSet', () => {
    const decision = withPod({ deletionAt: NOON, owner: owner('StatefulSet') });

    expect(decision.command?.reason).not.toBe('Empty');
  });

  it('stay if consolidateAfter is Never', () => {
    const decision = one({}, { pools: [willing({ consolidateAfterMs: 'Never' })] });

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'a')).toBe('consolidation-disabled');
  });

  it.each(['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const)('are removed under %s', (policy) => {
    expect(one({}, { pools: [willing({ policy })] }).gone).toEqual(['a']);
  });

  it('are the only nodes removed under WhenEmpty', () => {
    const fleet = aFleet(
      [
        { name: 'a', pods: [web('p')] },
        { name: 'b', type: 'large', pods: [web('q', 7)] },
      ],
      { pools: [willing({ policy: 'WhenEmpty' })] },
    );

    expect(decide(fleet).gone).toEqual([]);
    expect(findStayReason(decide(fleet), 'a')).toBe('consolidation-disabled');
  });

  it('are removed before pods are moved', () => {
    const decision = decide(
      aFleet([{ name: 'a', pods: [web('p')] }, { name: 'b', type: 'large', pods: [web('q', 7)] }, { name: 'c' }]),
    );

    expect(decision.command).toMatchObject({ reason: 'Empty', candidates: ['c'] });
  });
});

describe('consolidateAfter', () => {
  const thirty = { pools: [willing({ consolidateAfterMs: 30 * SECOND_MS })] };
  const initialized = (ago: number, over: Partial<FleetNode['claim']> = {}): Partial<FleetNode> => {
    const { lastPodEventAt: _, ...none } = { lastPodEventAt: 0, ...over };
    return { claim: { initializedAt: NOON - ago, ...none } };
  };
  const quiet = (ago: number): ReturnType<typeof one> => {
    const fleet = aFleet([{ name: 'a', ...initialized(ago) }], thirty);
    return decide({
      ...fleet,
      claims: fleet.claims.map(({ lastPodEventAt: _, ...claim }) => claim),
    });
  };

  it.each([
    [20, [], NOON + 10 * SECOND_MS],
    [29.999, [], NOON + 1],
    [30, ['a'], undefined],
    [31, ['a'], undefined],
  ])('counts from initialization, %f s ago', (ago, gone, lookAgainAt) => {
    const decision = quiet(ago * SECOND_MS);

    expect(decision.gone).toEqual(gone);
    expect(decision.verdicts[0]?.lookAgainAt).toBe(lookAgainAt);
  });

  it.each([
    [5, []],
    [30, ['a']],
  ])('counts from the last pod event, %i s ago', (ago, gone) => {
    const decision = one({ claim: { lastPodEventAt: NOON - ago * SECOND_MS } }, thirty);

    expect(decision.gone).toEqual(gone);
    if (gone.length === 0) expect(findStayReason(decision, 'a')).toBe('consolidate-after');
  });

  it('is ignored for an uninitialized node', () => {
    const fleet = aFleet([{ name: 'a' }]);
    const claims = fleet.claims.map(({ initializedAt: _, ...claim }) => claim);

    expect(decide({ ...fleet, claims }).gone).toEqual([]);
  });

  it('is ignored in a static pool', () => {
    const pool = { ...willing({ consolidateAfterMs: MINUTE_MS }), replicas: 1 };

    expect(one({}, { pools: [pool] }).gone).toEqual([]);
  });
});
