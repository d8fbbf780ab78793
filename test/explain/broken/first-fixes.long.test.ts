import { describe, expect, it } from 'vitest';
import type { PodDisruptionBudget } from '../../../shared/model/pods/workload.ts';
import { applyFix as changeSnapshot } from '../../../shared/what-if/apply-fix.ts';
import { explainIn } from '../explain-case.ts';
import { NODE_CASES } from '../node-cases.ts';
import { applyFix } from './apply-fix.ts';
import { readBrokenCluster } from './broken-cluster.ts';
import { FAULTS } from './faults.ts';
import { FIRST_FIXES } from './first-fixes.ts';
import { drawSituation, explainSituation } from './run-situation.ts';
import { listManifests, simulateFixed } from './simulate-fix.ts';

const SEED = 1;
/** Bare metal takes minutes to boot; hours begin in the evening. */
const [SOON, EVENING] = ['20m', '7h'];
/** Pods that other controllers let go. */
const HELD = new Set(['gate: a controller holds it back', 'opt-out: no NodePool is wanted']);

describe('the first fix of a pod', () => {
  it.each(Object.keys(FAULTS).map((kind, index) => ({ kind, index })))(
    'is exact, and does what it says in a simulation: $kind',
    async ({ kind, index }) => {
      const { cluster } = drawSituation(SEED, index, 1);
      const answer = explainSituation(cluster);
      const [fix] = answer?.fixes ?? [];
      expect(fix?.text ?? answer?.verdict).toBe(FIRST_FIXES[kind]);
      if (!fix) return expect(HELD).toContain(kind);

      const fixed = applyFix(cluster, fix);
      if (!fixed) throw new Error('the fix cannot be applied');
      // A snapshot has the state of the class, not its fields.
      const snapshot = readBrokenCluster({ ...cluster, nodeClass: fixed.nodeClass });
      const result = await simulateFixed(snapshot, listManifests(fixed, cluster), fix.kind === 'wait' ? EVENING : SOON);

      expect(result.pods).toMatchObject({ ran: result.pods.total, unplaced: [] });
      const launched = result.nodes.filter(({ launchedAtMs }) => launchedAtMs >= 0);
      const hourlyUsd = launched.reduce((sum, one) => sum + (one.hourlyUsd ?? 0), 0);
      // EC2 takes a spot offer with capacity; the prices of on-demand nodes are exact.
      const isExact = fix.launches?.includes('on-demand') && !fix.launches.includes('spot');
      const isWhole = answer?.equalPods?.length === cluster.replicas - 1 || cluster.replicas === 1;
      if (isExact && isWhole) expect(hourlyUsd).toBeCloseTo(fix.hourlyUsd, 4);
      else expect(hourlyUsd).toBeGreaterThan(fix.hourlyUsd * 0.5);
    },
  );
});

/** Nodes with a second reason, and states that a simulation does not restore: drift, and a node that is not ready. */
const OTHERWISE = new Set([
  'do-not-disrupt, and another reason behind it',
  'drift waiting',
  'not ready, without repair',
]);
const NODES = NODE_CASES.filter(
  ({ title, fix, outcome }) => fix !== undefined && outcome === 'stays' && !OTHERWISE.has(title),
);

/** A budget has one of both fields. */
const withOneField = ({ maxUnavailable, ...budget }: PodDisruptionBudget): PodDisruptionBudget =>
  budget.minAvailable === undefined && maxUnavailable !== undefined ? { ...budget, maxUnavailable } : budget;

describe('the first fix of a node', () => {
  it.each(NODES)('lets the node go in a simulation: $title', async ({ snapshot, subject }) => {
    const [fix] = explainIn(snapshot, subject)?.fixes ?? [];
    if (!fix) throw new Error('there is no fix');
    const changed = fix.kind === 'wait' ? snapshot : changeSnapshot(snapshot, fix, 'default');
    if (!changed) throw new Error('the fix cannot be applied');
    const claim = snapshot.claims.find((one) => one.nodeName === subject.name)?.name;

    const podDisruptionBudgets = changed.podDisruptionBudgets.map(withOneField);
    const { nodes } = await simulateFixed({ ...changed, podDisruptionBudgets }, [], EVENING);
    expect(nodes.find((one) => one.claim === claim)?.removedAtMs).toBeDefined();
  });
});
