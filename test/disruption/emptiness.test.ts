import { describe, expect, it } from 'vitest';
import type { Pod } from '../../shared/model/pods/pod.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { aFleet, decide, type Fleet, type Machine, web, whyStays, willing } from './fleet.ts';

const owner = (kind: string) => ({ kind, name: 'owner', uid: 'owner' });
const one = (machine: Partial<Machine> = {}, over: Fleet = {}) =>
  decide(aFleet([{ name: 'a', ...machine }], over));
const withPod = (pod: Partial<Pod>) => one({ pods: [{ ...web('p'), ...pod }] });

describe('empty nodes (22.4-62 to 68)', () => {
  it('22.4-62: go in one command, as many as the budget allows, the dearest first', () => {
    const machines = Array.from({ length: 10 }, (_, index) => ({
      name: `n-${index}`,
      type: index < 4 ? 'large' : 'small',
    }));
    const decision = decide(
      aFleet(machines, { pools: [willing({ budgets: [{ nodes: '30%' }] })] }),
    );

    expect(decision.command).toMatchObject({ reason: 'Empty', replacements: [], placements: [] });
    expect(decision.gone).toEqual(['n-0', 'n-1', 'n-2']);
    expect(decision.command?.savingHourlyUsd).toBeCloseTo(1.2);
    expect(whyStays(decision, 'n-3')).toBe('budget-exhausted');
  });

  it.each<[string, Partial<Pod>]>([
    ['22.4-63: DaemonSet pods', { owner: owner('DaemonSet') }],
    ['static pods', { owner: owner('Node') }],
    ['finished pods', { phase: 'Succeeded' }],
    ['22.4-64: pods of a Deployment that are ending', { deletionAt: NOON }],
  ])('%s do not keep a node', (_, pod) => {
    expect(withPod(pod).command?.reason).toBe('Empty');
  });

  it('22.4-65: pods of a StatefulSet that are ending do', () => {
    const decision = withPod({ deletionAt: NOON, owner: owner('StatefulSet') });

    expect(decision.command?.reason).not.toBe('Empty');
  });

  it('22.4-66: stay where the pool says Never', () => {
    const decision = one({}, { pools: [willing({ consolidateAfterMs: 'Never' })] });

    expect(decision.gone).toEqual([]);
    expect(whyStays(decision, 'a')).toBe('consolidation-disabled');
  });

  it.each(['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const)(
    '22.4-67, 68: go under %s',
    (policy) => {
      expect(one({}, { pools: [willing({ policy })] }).gone).toEqual(['a']);
    },
  );

  it('22.4-67: loaded ones stay under WhenEmpty', () => {
    const fleet = aFleet(
      [
        { name: 'a', pods: [web('p')] },
        { name: 'b', type: 'large', pods: [web('q', 7)] },
      ],
      { pools: [willing({ policy: 'WhenEmpty' })] },
    );

    expect(decide(fleet).gone).toEqual([]);
    expect(whyStays(decide(fleet), 'a')).toBe('consolidation-disabled');
  });

  it('go before loaded ones are moved', () => {
    const decision = decide(
      aFleet([
        { name: 'a', pods: [web('p')] },
        { name: 'b', type: 'large', pods: [web('q', 7)] },
        { name: 'c' },
      ]),
    );

    expect(decision.command).toMatchObject({ reason: 'Empty', candidates: ['c'] });
  });
});

describe('consolidateAfter (22.4-73 to 76)', () => {
  const thirty = { pools: [willing({ consolidateAfterMs: 30 * SECOND_MS })] };
  const initialized = (ago: number, over: Partial<Machine['claim']> = {}): Partial<Machine> => {
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
  ])('22.4-73: counts from initialization, %f s ago', (ago, gone, lookAgainAt) => {
    const decision = quiet(ago * SECOND_MS);

    expect(decision.gone).toEqual(gone);
    expect(decision.verdicts[0]?.lookAgainAt).toBe(lookAgainAt);
  });

  it.each([
    [5, []],
    [30, ['a']],
  ])('22.4-74: counts from the last pod event, %i s ago', (ago, gone) => {
    const decision = one({ claim: { lastPodEventAt: NOON - ago * SECOND_MS } }, thirty);

    expect(decision.gone).toEqual(gone);
    if (gone.length === 0) expect(whyStays(decision, 'a')).toBe('consolidate-after');
  });

  it('22.4-75: does not count for a node that is not initialized', () => {
    const fleet = aFleet([{ name: 'a' }]);
    const claims = fleet.claims.map(({ initializedAt: _, ...claim }) => claim);

    expect(decide({ ...fleet, claims }).gone).toEqual([]);
  });

  it('22.4-76: does not count in a static pool', () => {
    const pool = { ...willing({ consolidateAfterMs: MINUTE_MS }), replicas: 1 };

    expect(one({}, { pools: [pool] }).gone).toEqual([]);
  });
});
