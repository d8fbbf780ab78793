import { describe, expect, it } from 'vitest';
import { explainBound } from '../../../console/views/bound-parts.ts';
import { aNodeClaim } from '../../support/builders.ts';
import { aBox } from '../support/boxes.ts';
import { aDisruption } from '../support/decisions.ts';
import { someFacts } from '../support/facts.ts';

const half = { cpuMilli: 4_000, memoryMib: 0, gpu: 0, pods: 1 };
const claimed = (...names: readonly string[]) => ({
  snapshot: { claims: names.map((name) => aNodeClaim({ name })) },
});
const bound = { hourlyUsd: 0.1, text: 'no nodes hold these pods for less' };

describe('the reason why a cluster costs more than its lower bound', () => {
  it('names the nodes that are starting, in dollars', () => {
    const nodes = [
      aBox('a', { hourlyUsd: 0.1, requested: { ...half, cpuMilli: 8_000 } }),
      aBox('b', { hourlyUsd: 0.32, state: 'starting' }),
    ].map(({ node }) => node);

    expect(explainBound(bound, nodes, someFacts(claimed('a', 'b')))).toMatchObject({
      text: '$0.32 starting nodes',
      parts: [{ label: 'starting nodes' }],
    });
  });

  it('has parts that add up to the difference', () => {
    const nodes = [
      aBox('a', { hourlyUsd: 0.2, requested: half, daemon: { ...half, cpuMilli: 800 } }),
      aBox('b', { hourlyUsd: 0.2, requested: half, holds: ['PDB web allows no eviction'] }),
      aBox('c', { hourlyUsd: 0.2, requested: half, state: 'draining' }),
    ].map(({ node }) => node);
    const { parts = [] } = explainBound(bound, nodes, someFacts(claimed('a', 'b', 'c')));

    expect(parts.map(({ label }) => label)).toEqual([
      'leaving nodes',
      'held nodes',
      'free room',
      'spread and other types',
      'DaemonSets',
    ]);
    expect(parts.reduce((sum, { hourlyUsd }) => sum + hourlyUsd, 0)).toBeCloseTo(0.5);
  });

  it('is about the nodes of NodePools only, if there are NodePools', () => {
    const nodes = [
      aBox('general-1', { hourlyUsd: 0.2, requested: half }),
      aBox('ip-9', { hourlyUsd: 5, requested: half }),
    ].map(({ node }) => node);
    const facts = someFacts(claimed('general-1'));

    expect(explainBound(bound, nodes, facts).costUsd).toBe(0.2);
  });

  it('names nodes that wait for a budget', () => {
    const reason = {
      code: 'budget-exhausted' as const,
      fields: { budget: '1', reason: 'Underutilized', disrupting: '1', allowed: '1' },
    };
    const verdicts = [{ claim: 'a', outcome: 'stays' as const, reason }];
    const facts = someFacts({ ...claimed('a'), decisions: [aDisruption({ verdicts })] });
    const nodes = [aBox('a', { hourlyUsd: 0.2, requested: half }).node];

    expect(explainBound(bound, nodes, facts).text).toBe('$0.10 waiting for budgets');
  });
});
