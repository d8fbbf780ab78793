import { describe, expect, it } from 'vitest';
import { createExplainer } from '../../shared/explain/explain.ts';
import type { Subject } from '../../shared/explain/explanation.ts';
import { findReportedShortages } from '../../shared/explain/karpenter-reports.ts';
import type { KarpenterReport } from '../../shared/model/karpenter-report.ts';
import { DISRUPTED_TAINT } from '../../shared/model/requirements/taints.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { aFleet, web } from '../disruption/fleet.ts';
import { aNode, resources } from '../support/builders.ts';
import { explainIn, linesOf } from './explain-case.ts';

const snapshot = aFleet([
  { name: 'small', pods: [web('mover')] },
  { name: 'big', type: 'large', pods: [web('heavy', 7)] },
]);
const { takenAt } = snapshot;

const aReport = (more: Partial<KarpenterReport>): KarpenterReport => ({
  ...{ kind: 'nodeclaim', name: 'small', source: 'event', reason: 'Unconsolidatable' },
  ...{ text: "Can't replace with a cheaper node", at: takenAt - MINUTE_MS, count: 1 },
  ...more,
});

const NO_CAPACITY: Partial<KarpenterReport> = {
  reason: 'InsufficientCapacityError',
  text: 'NodeClaim general-x7k2p event: creating instance, with fleet error(s), InsufficientInstanceCapacity: We currently do not have sufficient m5.large capacity in the Availability Zone you requested (us-east-1a). Our system',
};

function explainWith(subject: Subject, reports: readonly KarpenterReport[]) {
  const input = { kind: 'disruption', snapshot, running: [] } as const;
  const explainer = createExplainer([{ id: 'd-1', at: takenAt, input }], reports);
  const answer = explainer?.explain(subject);
  return answer && linesOf(answer);
}

describe('an explanation on a cluster that Karpenter runs', () => {
  it('quotes what Karpenter says about the node, and nothing about others', () => {
    const reports = [aReport({ count: 3 }), aReport({ name: 'big', text: 'other' })];
    const lines = explainWith({ kind: 'node', name: 'small' }, reports);

    expect(lines?.evidence).toContain(
      "Karpenter: Unconsolidatable (3 times, 1m ago): Can't replace with a cheaper node",
    );
    expect(lines?.evidence.join()).not.toContain('other');
  });

  it('says that the node goes, and how far that is, once Karpenter has begun to disrupt it', () => {
    const begun = aReport({ source: 'condition', reason: 'DisruptionReason', text: 'Drifted' });
    const waits = aReport({
      reason: 'DisruptionWaitingReadiness',
      text: 'Waiting on readiness to continue disruption',
    });

    expect(explainWith({ kind: 'node', name: 'small' }, [begun])).toMatchObject({
      outcome: 'goes',
      reasons: ['Karpenter disrupts it (Drifted): its replacement is not ready yet'],
    });
    const lines = explainWith({ kind: 'node', name: 'small' }, [waits, begun]);
    expect(lines?.verdict).toMatch(/^small goes: small on-demand/);
    expect(lines).toMatchObject({
      reasons: ['Karpenter disrupts it (Drifted): Waiting on readiness to continue disruption'],
    });
  });

  it('quotes refused launches of a NodePool, whose NodeClaims are gone, and of no other pool', () => {
    const reports = ['general-x7k2p', 'general-gpu-x7k2p'].map((name) => aReport({ ...NO_CAPACITY, name }));
    const lines = explainWith({ kind: 'nodepool', name: 'general' }, reports);
    const quoted = lines?.evidence.filter((line) => line.startsWith('Karpenter: '));

    expect(quoted).toHaveLength(1);
  });
});

describe('an explanation of a node of a node group', () => {
  it('is about its own pods, also while pods of a disrupted node have no other place', () => {
    const stuck = web('stuck', 1, { nodeSelector: { disk: 'ssd' } });
    const cluster = aFleet(
      [
        { name: 'big', type: 'large', pods: [web('heavy', 3)] },
        { name: 'going', pods: [stuck], node: { taints: [DISRUPTED_TAINT] } },
      ],
      {
        nodes: [aNode({ name: 'theirs', allocatable: resources(2, 8, { pods: 29 }) })],
        pods: [{ ...web('mover'), nodeName: 'theirs' }],
      },
    );
    const answer = explainIn(cluster, { kind: 'node', name: 'theirs' });

    expect(answer && linesOf(answer).evidence).toContain(
      'without it: its pods fit the other nodes, so it is not needed now',
    );
  });
});

describe('offerings without capacity', () => {
  it('are those that EC2 named, for as long as Karpenter does not ask again', () => {
    const reports = [aReport(NO_CAPACITY), aReport({})];

    expect(findReportedShortages(reports, takenAt + 2 * MINUTE_MS)).toEqual([]);
    expect(findReportedShortages(reports, takenAt)).toEqual([
      {
        ...{ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand' },
        until: takenAt + 2 * MINUTE_MS,
      },
    ]);
  });
});
