import { describe, expect, it } from 'vitest';
import { toCandidate } from '../../../shared/disruption/candidates.ts';
import type { ConsolidationMove } from '../../../shared/disruption/consolidation/consolidate.ts';
import { consolidateTogether } from '../../../shared/disruption/consolidation/multi-node.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { aTypeOf } from '../../support/builders.ts';
import { aFleet, aWillingPool, decide, type FleetNode, onDemand, TYPES, web, webs, willing } from '../fleet.ts';

const REMOVAL: ConsolidationMove = {
  outcome: 'move',
  replacements: [],
  placements: [],
  savingHourlyUsd: 0,
  minSavingHourlyUsd: 0,
  reason: { code: 'underutilized', fields: {} },
};

/** Removes any of the nodes together without a replacement, and lists the sets that are evaluated. */
function removeWithoutReplacement(nodes: readonly FleetNode[]) {
  const problem = prepare(aFleet(nodes));
  const pools = new Map(problem.snapshot.pools.map((pool) => [pool.name, pool]));
  const candidates = problem.existingNodes.flatMap(
    (existingNode) => toCandidate(existingNode, { problem, pools, busy: new Set() }) ?? [],
  );
  const evaluated: string[][] = [];
  const best = consolidateTogether(candidates, (together) => {
    evaluated.push(together.map(({ claim }) => claim.name));
    const savingHourlyUsd = together.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0);
    return { ...REMOVAL, savingHourlyUsd, minSavingHourlyUsd: savingHourlyUsd };
  });
  return { best, evaluated };
}

/** A catalogue with these prices in every zone. */
const createCatalogue = (prices: Record<string, number>) => {
  const types = Object.keys(prices).map((name) => {
    const [, cpus = '2'] = name.split('-');
    return aTypeOf(name, Number(cpus), Number(cpus) * 4);
  });
  const offerings = types.flatMap((type) => onDemand(type, prices[type.name]));
  return { types, offerings };
};
const node = (name: string, type: string, cpus: number): FleetNode => ({
  name,
  type,
  pods: [web(`p-${name}`, cpus)],
});

describe('multi-node consolidation', () => {
  it('replaces three nodes by a cheaper one', () => {
    const decision = decide(
      aFleet(
        ['a', 'b', 'c'].map((name) => node(name, 'old-2', 1.5)),
        createCatalogue({ 'old-2': 1, 'new-6': 1.5 }),
      ),
    );

    expect(decision.gone).toEqual(['a', 'b', 'c']);
    expect(decision.replacedBy).toEqual(['new-6']);
    expect(decision.command?.savingHourlyUsd).toBeCloseTo(1.5);
  });

  it.each<[string, Record<string, number>, readonly string[]]>([
    ['does not replace nodes by a type that one of them has', { 'small-2': 0.2, 'xl-8': 0.7, '2xl-16': 1.5 }, []],
    [
      'replaces nodes only by types cheaper than the cheapest of them',
      { 'nano-2': 0.05, 'small-2': 0.2, 'xl-8': 0.7, '2xl-16': 1.5 },
      ['nano-2'],
    ],
  ])('%s', (_, prices, replacedBy) => {
    const nodes = [
      node('a', '2xl-16', 0.5),
      node('b', '2xl-16', 0.5),
      // Full, so that no other node's pods fit on it.
      { name: 'c', type: 'small-2', pods: webs(3, 'p-c', 0.25) },
    ];
    const decision = decide(aFleet(nodes, createCatalogue(prices)));

    if (replacedBy.length > 0) expect(decision.replacedBy).toEqual(replacedBy);
    // Removes the two large nodes; their pods move to the small one, which may be replaced as well.
    expect(decision.gone).toEqual(expect.arrayContaining(['a', 'b']));
    expect(decision.replacedBy).not.toContain('2xl-16');
  });

  it('removes no more nodes than the budget allows', () => {
    const nodes = Array.from({ length: 10 }, (_, index) => node(`n-${index}`, 'large', 0.5));
    const decision = decide(aFleet(nodes, { pools: [willing({ budgets: [{ nodes: '30%' }] })], types: TYPES }));

    expect(decision.gone).toHaveLength(3);
    expect(decision.command?.replacements).toEqual([]);
  });

  it('leaves a single candidate to single-node consolidation', () => {
    const decision = decide(aFleet([node('a', 'large', 0.5)]));

    expect(decision.gone).toEqual(['a']);
    expect(decision.replacedBy).toContain('small');
  });

  it('considers at most a hundred candidates', () => {
    const nodes = Array.from({ length: 130 }, (_, index) => node(`n-${String(index).padStart(3, '0')}`, 'small', 0.01));
    const spare = { name: 'spare', type: 'large', pods: [web('heavy', 6)] };

    expect(decide(aFleet([...nodes, spare])).gone).toHaveLength(100);
  });

  it('applies minValues to the types that remain after all filters', () => {
    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 } as const];
    const { types, offerings } = createCatalogue({ 'old-2': 1, 'new-6': 1.5 });
    const decision = decide(
      aFleet(
        ['a', 'b', 'c'].map((name) => node(name, 'old-2', 1.5)),
        { types, offerings, pools: [aWillingPool({ requirements })] },
      ),
    );

    expect(decision.gone).toEqual([]);
  });

  it('finds emptier nodes if those with the highest saving cannot be removed', () => {
    // The two nodes with the highest price for their usage have pods that fit nowhere else.
    const decision = decide(
      aFleet([
        node('full-1', 'large', 7.9),
        node('full-2', 'large', 7.9),
        { name: 'half-1', pods: webs(4, 'x', 0.25) },
        { name: 'half-2', pods: webs(4, 'y', 0.25) },
        { name: 'half-3', pods: webs(4, 'z', 0.25) },
        { name: 'half-4', pods: webs(4, 'u', 0.25) },
      ]),
    );

    expect(decision.command?.savingHourlyUsd).toBeCloseTo(0.2);
    expect(decision.gone.every((name) => name.startsWith('half'))).toBe(true);
  });

  it('does not starve a pool with one node next to one with many', () => {
    const many = Array.from({ length: 20 }, (_, index) => node(`n-${index}`, 'large', 7.5));
    const pools = [aWillingPool(), aWillingPool({ name: 'other' })];
    const lonely = { ...node('lonely', 'large', 0.5), pool: 'other' };

    expect(decide(aFleet([...many, lonely], { pools })).gone).toEqual(['lonely']);
  });

  it('tries all nodes once half of them can be removed without a replacement', () => {
    const smalls = Array.from({ length: 120 }, (_, index) => node(`node-${index}`, 'small', 0.5));

    const { best, evaluated } = removeWithoutReplacement(smalls);

    expect(best?.candidates).toHaveLength(100);
    expect(evaluated.map(({ length }) => length).filter((count) => count > 50)).toEqual([51, 100]);
  });

  it('evaluates no nodes that together cost less than others save', () => {
    const isLarge = (name: string): boolean => name.startsWith('large');
    const nodes = Array.from({ length: 100 }, (_, index) => [
      node(`large-${index}`, 'large', 4),
      // The least used nodes come first in one of the orders.
      node(`small-${index}`, 'small', 0.2),
    ]).flat();

    const { best, evaluated } = removeWithoutReplacement(nodes);

    expect(best?.candidates.map(({ claim }) => claim.name).every(isLarge)).toBe(true);
    expect(evaluated.flat().every(isLarge)).toBe(true);
  });
});

describe('the reason of a multi-node move', () => {
  it('names the number of nodes and the total saving', () => {
    const decision = decide(
      aFleet(
        ['a', 'b', 'c'].map((name) => node(name, 'old-2', 1.5)),
        createCatalogue({ 'old-2': 1, 'new-6': 1.5 }),
      ),
    );

    expect(decision.verdicts.map(({ reason }) => formatReason(reason))).toEqual(
      Array(3).fill('removed with 2 more: pods fit new-6, saves $1.5000/h in all, pays back in 4m12s'),
    );
  });
});
