import { describe, expect, it } from 'vitest';
import { createSnapshotExplainer } from '../../shared/explain/explain.ts';
import { aCluster, aPool, fakeType, need, requesting, TYPE, tiny } from '../scheduling/support/fixture.ts';
import { aLaunch, anInitializedClaim, NOON } from '../support/builders.ts';
import { explainIn, linesOf } from './explain-case.ts';
import { NODE_CASES } from './node-cases.ts';
import { POD_CASES } from './pod-cases.ts';

describe('an explanation', () => {
  it.each([...POD_CASES, ...NODE_CASES])('gives verdict, evidence and first fix: $title', (one) => {
    const answer = explainIn(one.snapshot, one.subject);
    const lines = answer && linesOf(answer);

    expect(lines).toMatchObject({ outcome: one.outcome, reasons: one.reasons });
    expect(lines?.verdict).toContain(one.verdict);
    expect(lines?.evidence.join('\n')).toContain(one.evidence);
    expect(lines?.fix?.replace(/ \([^()]*\)$/, '')).toBe(one.fix);
    if (one.patch !== undefined) expect(lines?.patch).toBe(one.patch);
    if (one.next !== undefined) expect(lines?.next.text).toBe(one.next);
  });

  it('has a fix for each of 30 pods that wait for reasons of their own', () => {
    const types = [2, 64].map((cpus) => fakeType(`m-${cpus}`, { cpus, gib: cpus * 4 }));
    const pools = [aPool({ name: 'general', requirements: [need(TYPE, 'In', 'm-2')] })];
    const cluster = aCluster({ types, pools });
    const pods = Array.from({ length: 30 }, (_, index) => tiny(`pod-${index}`, { requests: requesting(10 + index) }));
    const snapshot = { ...cluster, pods };
    const without = pods.filter(({ namespace, name }) => {
      const answer = explainIn(snapshot, { kind: 'pod', name: `${namespace}/${name}` });
      return answer?.fixes.length === 0;
    });

    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('uses nothing of a limit whose name objects inherit', () => {
    const snapshot = {
      ...aCluster({ pools: [aPool({ name: 'general', limits: { constructor: 2 } })] }),
      claims: [anInitializedClaim('ip-1')],
    };
    const answer = explainIn(snapshot, { kind: 'nodepool', name: 'general' });

    expect(answer && linesOf(answer).evidence).toContain('limit constructor: 0 of 2 in use');
  });

  it('names the share that a NodePool keeps on demand, and what it has', () => {
    const onDemandShare = { base: 1, percentAboveBase: 20 };
    const snapshot = {
      ...aCluster({ pools: [aPool({ name: 'general', onDemandShare })] }),
      claims: [anInitializedClaim('ip-1')],
    };
    const answer = explainIn(snapshot, { kind: 'nodepool', name: 'general' });

    expect(answer && linesOf(answer).evidence).toContain(
      'on demand: 2 of 2 vCPUs, keeps 1 vCPU and 20 % of those above',
    );
  });

  it('names the spot offering of most nodes of a NodePool', () => {
    const launch = aLaunch({ capacityType: 'spot' });
    const snapshot = {
      ...aCluster({ pools: [aPool({ name: 'general' })] }),
      claims: ['ip-1', 'ip-2'].map((node) => anInitializedClaim(node, { name: node, launch })),
    };
    const answer = explainIn(snapshot, { kind: 'nodepool', name: 'general' });

    expect(answer && linesOf(answer).evidence).toContain(
      'spot: 2 of 2 nodes and 0 of 0 pods are on m7i.large spot us-east-1a',
    );
  });

  it('counts no pod as pending that is being deleted or has finished', () => {
    const pods = [
      tiny('waits'),
      { ...tiny('deleted'), deletionAt: NOON },
      { ...tiny('failed'), phase: 'Failed' as const },
    ];
    const explainer = createSnapshotExplainer({ ...aCluster({}), pods }, []);

    expect(explainer.listPendingPods()).toEqual(['default/waits']);
  });

  it('is the same for the same decisions', () => {
    for (const { snapshot, subject } of [...POD_CASES, ...NODE_CASES]) {
      const copy: typeof snapshot = structuredClone(snapshot);
      expect(explainIn(copy, subject)).toEqual(explainIn(snapshot, subject));
    }
  });
});
