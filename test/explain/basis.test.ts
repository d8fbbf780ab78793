import { describe, expect, it } from 'vitest';
import type { DecisionToExplain } from '../../shared/explain/decisions.ts';
import { createExplainer } from '../../shared/explain/explain.ts';
import type { Subject } from '../../shared/explain/explanation.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { NODE_CASES } from './node-cases.ts';
import { POD_CASES } from './pod-cases.ts';

const snapshotOf = (title: string): ClusterSnapshot => {
  const one = [...POD_CASES, ...NODE_CASES].find((each) => each.title === title);
  if (!one) throw new Error(`no case ${title}`);
  return one.snapshot;
};
const PENDING = snapshotOf('limit');
const NODES = snapshotOf('PDB');
const POD: Subject = { kind: 'pod', name: 'default/web-7c9-x' };
const NODE: Subject = { kind: 'node', name: 'small' };
const ASKED = NOON + HOUR_MS;

const planOf = (snapshot: ClusterSnapshot, at: EpochMs): DecisionToExplain => ({
  id: 'p-1',
  at,
  input: {
    ...{ kind: 'provisioning', snapshot: { ...snapshot, takenAt: at }, anticipate: false },
    backoffs: { registration: [], launch: [], placement: [] },
    caps: { launchesPerMinute: 100, hourlyUsd: 100, use: { launches: 0, usd: 0, nodes: 0 } },
  },
});
const removalsOf = (snapshot: ClusterSnapshot, at: EpochMs): DecisionToExplain => ({
  id: 'd-1',
  at,
  input: { kind: 'disruption', snapshot: { ...snapshot, takenAt: at }, running: [] },
});
const explain = (decisions: readonly DecisionToExplain[], subject: Subject, until?: EpochMs) =>
  createExplainer(decisions, [], until === undefined ? {} : { until })?.explain(subject)?.basis;

/** `NOON` plus so many minutes. */
const minute = (minutes: number): EpochMs => NOON + minutes * MINUTE_MS;

describe('the basis of an explanation', () => {
  it('is the last plan for pods before the moment, with its time', () => {
    expect(explain([planOf(PENDING, minute(2))], POD, ASKED)).toEqual({
      at: minute(2),
      text: 'decision p-1 of 2026-01-01T12:02:00Z, the last about pods before 2026-01-01T13:00:00Z',
    });
  });

  it('is the last plan of removals, and names a newer plan for pods that shows the cluster', () => {
    const decisions = [removalsOf(NODES, minute(2)), planOf(NODES, minute(9))];

    expect(explain(decisions, NODE, ASKED)).toEqual({
      at: minute(2),
      text: 'decision d-1 of 2026-01-01T12:02:00Z, the last about removals before 2026-01-01T13:00:00Z; the cluster is described as decision p-1 of 2026-01-01T12:09:00Z found it',
    });
  });

  it('names only the decision if the present is explained', () => {
    expect(explain([planOf(PENDING, minute(2))], POD)?.text).toBe('decision p-1 of 2026-01-01T12:02:00Z');
  });

  it('says why the last plan for pods did not include the pod', () => {
    const empty = { ...PENDING, pods: [] };
    const decisions = [planOf(empty, minute(1)), removalsOf(PENDING, minute(2))];

    expect(explain(decisions, POD, ASKED)).toEqual({
      at: minute(2),
      text: 'decided for this answer on the cluster as decision d-1 of 2026-01-01T12:02:00Z found it; the last plan for pods before 2026-01-01T13:00:00Z, decision p-1 of 2026-01-01T12:01:00Z, did not include it: the pod did not exist yet',
    });
  });

  it.each([
    ['did not exist yet', { claims: [] }],
    ['was leaving', { claims: NODES.claims.map((claim) => ({ ...claim, deletingAt: NOON })) }],
    ['was registered', { claims: NODES.claims.map(({ initializedAt: _, ...claim }) => claim) }],
  ])('says that the node %s when removals were planned', (why, over) => {
    const decisions = [removalsOf({ ...NODES, ...over }, minute(1)), planOf(NODES, minute(2))];

    expect(explain(decisions, NODE, ASKED)?.text).toMatch(
      new RegExp(`decision d-1 of .* did not include it: the node ${why}$`),
    );
  });

  it('says that no plan of the kind is recorded', () => {
    expect(explain([planOf(NODES, minute(2))], NODE, ASKED)?.text).toBe(
      'decided for this answer on the cluster as decision p-1 of 2026-01-01T12:02:00Z found it; no plan for removals is recorded in the day before 2026-01-01T13:00:00Z',
    );
  });

  it('is the newest cluster for an object that no plan is about', () => {
    const pool: Subject = { kind: 'nodepool', name: 'general' };

    expect(explain([planOf(NODES, minute(2))], pool, ASKED)).toEqual({
      at: minute(2),
      text: 'the cluster as decision p-1 of 2026-01-01T12:02:00Z found it, the last before 2026-01-01T13:00:00Z',
    });
  });
});
