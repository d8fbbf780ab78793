import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../../shared/disruption/candidates.ts';
import {
  computeBalancedScore,
  findUnfavorableScore,
} from '../../../shared/disruption/consolidation/balanced-policy.ts';
import type { ConsolidationPolicy } from '../../../shared/model/nodes/node-pool.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { anInitializedClaim, aSnapshot } from '../../support/builders.ts';
import { aFleet, decide, findStayReason, TYPES, web, webs, willing } from '../fleet.ts';

describe('computeBalancedScore', () => {
  it.each([
    ['a saving below the minimum score', 58.08, 90, 2.42, 9, 0.417],
    ['a saving at the minimum score', 48.4, 90, 2.42, 9, 0.5],
    ['a large saving', 58.08, 90, 7.26, 4, 2.81],
    ['a medium saving', 58.08, 90, 4.84, 5, 1.5],
    ['an on-demand node', 48.4, 90, 4.84, 4, 2.25],
    ['a spot node with the same shares', 14.5, 90, 1.45, 4, 2.25],
    ['no saving', 58.08, 90, 0, 9, 0],
    ['a loss', 58.08, 90, -5, 9, 0],
    ['an unknown total cost', 0, 90, 1, 9, 0],
    ['no total disruption', 48.4, 0, 1, 9, 0],
    ['the whole pool', 1, 5, 1, 5, 1],
    ['an unknown price', Number.NaN, 90, 1, 9, 0],
  ])(
    '%s: for totals of $%f and %f, saving $%f at disruption %f scores %f',
    (_, hourlyUsd, disruption, saving, cost, score) => {
      expect(computeBalancedScore(saving, cost, { hourlyUsd, disruption })).toBeCloseTo(score, 2);
    },
  );

  it('is infinite for a saving without disruption', () => {
    expect(computeBalancedScore(1, 0, { hourlyUsd: 1, disruption: 1 })).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a move over two pools', () => {
  const candidate = (name: string, policy: ConsolidationPolicy, disruptionCost: number): Candidate => {
    const [existingNode] = prepare(aFleet([{ name }])).existingNodes;
    if (!existingNode) throw new Error('no node');
    return {
      existingNode,
      claim: anInitializedClaim(name, { name, pool: name }),
      pool: willing({ policy }, name),
      hourlyUsd: 1,
      disruptionCost,
      usedShare: 0,
    };
  };
  /** Each pool has $2 and disruption 10: saving $0.50 of each at 1.25 scores 2. */
  const totals = new Map(['a', 'b'].map((name) => [name, { hourlyUsd: 2, disruption: 10 }]));
  const verdict = (policyOfB: ConsolidationPolicy, disruptionOfB: number) =>
    findUnfavorableScore([candidate('a', 'Balanced', 1.25), candidate('b', policyOfB, disruptionOfB)], 1, totals)
      ?.fields.pool;

  it('needs a sufficient score in both pools', () => {
    expect(verdict('Balanced', 1.25)).toBeUndefined();
    expect(verdict('Balanced', 8.3)).toBe('b');
  });

  it('ignores pools with another policy', () => {
    expect(verdict('WhenEmptyOrUnderutilized', 8.3)).toBeUndefined();
  });
});

describe('a pool with the policy Balanced', () => {
  const balanced = { pools: [willing({ policy: 'Balanced' })] };

  it('removes the node with few pods and explains why the one with many stays', () => {
    const many = { name: 'many', type: 'large', pods: webs(20, 'm', 0.25) };
    const one = { name: 'one', type: 'large', pods: [web('o', 0.25)] };

    expect(decide(aFleet([many, one], balanced)).gone).toEqual(['one']);
  });

  it('keeps nodes whose removal saves too little for its disruption', () => {
    // A tenth of the cost for most of the pods.
    const nodes = [
      { name: 'dear', type: 'large', pods: [web('d', 5)] },
      { name: 'busy', type: 'small', pods: webs(15, 'b', 0.1) },
    ];

    const settings = { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any' as const };
    expect(decide(aFleet(nodes, { types: TYPES, settings })).gone).toContain('busy');
    const decision = decide(aFleet(nodes, { ...balanced, types: TYPES, settings }));
    expect(decision.gone).not.toContain('busy');
    expect(findStayReason(decision, 'busy')).toBe('not-worth-disruption');
  });

  it('has no totals without nodes', () => {
    expect(decide(aSnapshot(balanced)).verdicts).toEqual([]);
  });
});
