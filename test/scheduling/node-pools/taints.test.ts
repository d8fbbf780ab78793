import { describe, expect, it } from 'vitest';
import type { Taint, Toleration } from '../../../shared/model/requirements/taints.ts';
import { aCluster, aPool, tiny } from '../support/fixture.ts';
import { findNodeOfPod, listReasonCodes, provision } from '../support/provision.ts';

const TAINT: Taint = { key: 'test-key', value: 'test-value', effect: 'NoSchedule' };
const tainted = aCluster({ pools: [aPool({ taints: [TAINT] })] });

describe('NodePool taints', () => {
  it('keep pods away that do not tolerate them', () => {
    const outcome = provision(tainted, tiny('a'));

    expect(outcome.pending).toEqual(['a']);
    expect(listReasonCodes(outcome)).toEqual(['taint-not-tolerated']);
  });

  it.each<[string, Toleration]>([
    ['Equal with the value', { key: 'test-key', operator: 'Equal', value: 'test-value' }],
    ['Exists with the key', { key: 'test-key', operator: 'Exists' }],
    ['Exists without a key', { operator: 'Exists' }],
    ['Exists with the effect', { operator: 'Exists', effect: 'NoSchedule' }],
  ])('admit pods that tolerate %s, and are set on the node', (_, toleration) => {
    const outcome = provision(tainted, tiny('a', { tolerations: [toleration] }));

    expect(findNodeOfPod(outcome, 'a')?.taints).toEqual([TAINT]);
  });

  it.each<[string, Toleration]>([
    ['another key', { key: 'other', operator: 'Exists' }],
    ['another value', { key: 'test-key', operator: 'Equal', value: 'other' }],
    ['another effect', { key: 'test-key', operator: 'Exists', effect: 'NoExecute' }],
  ])('exclude pods that tolerate %s', (_, toleration) => {
    expect(provision(tainted, tiny('a', { tolerations: [toleration] })).pending).toEqual(['a']);
  });

  it('are ignored if they are startup taints', () => {
    const cluster = aCluster({ pools: [aPool({ startupTaints: [TAINT] })] });
    const outcome = provision(cluster, tiny('a'));

    expect(outcome.pending).toEqual([]);
    expect(outcome.plan.claims[0]?.claim.startupTaints).toEqual([TAINT]);
  });
});
