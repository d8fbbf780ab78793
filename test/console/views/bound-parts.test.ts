import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundGauge } from '../../../console/bound-gauge.ts';
import { explainBound } from '../../../console/views/bound-parts.ts';
import { nodeViews } from '../../../console/views/nodes.ts';
import { podViews } from '../../../console/views/pods.ts';
import { CAPACITY_TYPE_LABEL } from '../../../shared/model/labels.ts';
import { anyCluster } from '../../scheduling/support/any-cluster.ts';
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

/** A change of a NodePool whose nodes run. */
const anyChange = fc.constantFrom('keep', 'delete', 'allow on-demand only', 'allow no type');

describe('the lower bound of any cluster', () => {
  it('is never above the cost, also if NodePools are deleted or changed under running pods', () => {
    fc.assert(
      fc.property(
        anyCluster({ limited: false }),
        fc.array(anyChange, { minLength: 3, maxLength: 3 }),
        (cluster, changes) => {
          const pools = cluster.pools.flatMap((pool, index) => {
            const change = changes[index];
            if (change === 'delete') return [];
            const key = change === 'allow no type' ? 'team' : CAPACITY_TYPE_LABEL;
            const values = change === 'allow no type' ? ['none'] : ['on-demand'];
            const more = change === 'keep' ? [] : [{ key, operator: 'In' as const, values }];
            return [{ ...pool, requirements: [...pool.requirements, ...more] }];
          });
          const facts = someFacts({ snapshot: { ...cluster, pools } });
          const gauge = boundGauge();
          gauge.read(facts.snapshot);
          const bound = gauge.bound();
          fc.pre(bound !== undefined);
          const shown = explainBound(bound, nodeViews(facts, podViews(facts)), facts);

          expect(shown.hourlyUsd).toBeLessThanOrEqual((shown.costUsd ?? 0) + 1e-9);
          // A price that stands for no node would be here: no cluster of the test costs as much.
          expect(bound.hourlyUsd).toBeLessThan(1_000);
        },
      ),
      { numRuns: 40 },
    );
  });
});
