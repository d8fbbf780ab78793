import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import { readBundle } from '../bundle.ts';
import { type ConsolidationCase, consolidationSchema } from '../case-schema.ts';
import { toSnapshot } from '../read-case.ts';
import { evaluateConsolidation } from './consolidation-result.ts';
import { listBrokenRules } from './removal-rules.ts';
import { createConsolidationReport } from './report.ts';

const { cases, catalogs } = readBundle(new URL('../data/consolidation.json.gz', import.meta.url), consolidationSchema);

function findCase(name: string): ConsolidationCase {
  const vector = cases.find((one) => one.name === name);
  if (!vector) throw new Error(`no case is named ${name}`);
  return vector;
}

const evaluate = (vector: ConsolidationCase) => evaluateConsolidation(vector, toSnapshot(vector, catalogs));

describe('a case of a running cluster', () => {
  it('passes if the command saves as much as the reference, and fails if it saves less', () => {
    const vector = findCase('consolidate-delete-fits-elsewhere');
    const { expected } = vector;
    const demanding = {
      ...vector,
      expected: { ...expected, command: expected.command && { ...expected.command, savings: 9 } },
    };

    expect(evaluate(vector).why).toEqual([]);
    expect(evaluate(demanding).why).toEqual(['saves $0.1900/h, the reference saves $9.0000/h']);
    expect(createConsolidationReport([evaluate(vector), evaluate(demanding)])).toEqual({
      cases: 2,
      passed: 1,
      failed: [{ case: vector.name, why: 'saves $0.1900/h, the reference saves $9.0000/h' }],
      commands: { ours: 2, reference: 2 },
      savingHourlyUsd: { ours: 0.38, reference: 9.19 },
    });
  });

  it('replaces spot by spot only if the options switch it on', () => {
    const off = findCase('rndc-022');

    expect(toSnapshot(off, catalogs).settings?.gates.SpotToSpotConsolidation).toBe(true);
    expect(toSnapshot({ ...off, options: {} }, catalogs).settings?.gates.SpotToSpotConsolidation).toBe(false);
  });
});

describe('the rules that forbid a command', () => {
  const vector = findCase('consolidate-delete-eight-nodes');
  const snapshot = toSnapshot(vector, catalogs);
  const { command } = planDisruption(snapshot, [], 'decision-1');
  if (!command) throw new Error('the case has a command');

  it('are kept by the command of the planner', () => {
    expect(listBrokenRules(vector, snapshot, command)).toEqual([]);
  });

  it('find budgets, annotations, PodDisruptionBudgets and the policy of the pool', () => {
    const [name = ''] = command.candidates;
    const nodeName = snapshot.claims.find((claim) => claim.name === name)?.nodeName;
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const withBudget = (nodes: string, over = {}): ConsolidationCase => ({
      ...vector,
      nodePools: vector.nodePools.map((pool) => ({
        ...pool,
        spec: { ...pool.spec, disruption: { budgets: [{ nodes, ...over }] } },
      })),
    });
    const broken = (vectorOver = vector, over = {}): string[] =>
      listBrokenRules(vectorOver, { ...snapshot, ...over }, command);

    expect(broken(withBudget('2'))).toEqual(['8 nodes of default go, its budgets allow 2']);
    expect(broken(withBudget('0', { reasons: ['Drifted'] }))).toEqual([]);
    expect(broken(withBudget('0', { schedule: '0 11 * * *', duration: '2h' }))).toHaveLength(1);
    expect(broken(withBudget('0', { schedule: '0 9 * * *', duration: '2h30m' }))).toEqual([]);
    expect(
      broken(vector, {
        nodes: snapshot.nodes.map((node) => (node.name === nodeName ? { ...node, annotations } : node)),
      }),
    ).toEqual([`${name} is annotated`]);
    expect(broken(vector, { pods: snapshot.pods.map((pod) => ({ ...pod, annotations })) })[0]).toMatch(
      /^pod default\/\S+ is annotated$/,
    );
    expect(
      broken(vector, {
        podDisruptionBudgets: [
          {
            namespace: 'default',
            name: 'all',
            selector: { matchLabels: {}, matchExpressions: [] },
            unhealthyPodEvictionPolicy: 'IfHealthyBudget',
            disruptionsAllowed: 0,
            currentHealthy: 1,
            desiredHealthy: 1,
          },
        ],
      })[0],
    ).toMatch(/^a PodDisruptionBudget keeps pod /);
    expect(
      broken(vector, {
        pools: snapshot.pools.map((pool) => ({
          ...pool,
          disruption: { ...pool.disruption, policy: 'WhenEmpty' },
        })),
      })[0],
    ).toBe('default removes only empty nodes');
  });
});
