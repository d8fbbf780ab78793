import { describe, expect, it } from 'vitest';
import { listUnplacedPods } from '../../../cli/playground/unplaced-pods.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { aNode, aNodeClaim, aPod, aRunningPod, aSnapshot, NOON } from '../../support/builders.ts';

const WEB = 'default/web-1';

const decided = (over: Partial<ProvisioningPlan>): Decision => ({
  id: 'd',
  at: NOON,
  kind: 'provisioning',
  plan: { claims: [], placements: [], unplaced: [], hourlyUsd: 0, ...over },
});

const tooLarge = (pool: string) => ({
  pool,
  reasons: [{ code: 'too-large' as const, fields: { request: '64', resource: 'cpu', type: 'm7i.large' } }],
});

const reasonsOf = (decisions: readonly Decision[], claims = [aNodeClaim()]) =>
  listUnplacedPods({ snapshot: aSnapshot({ takenAt: NOON + 30_000, pods: [aPod()], claims }), decisions }).map(
    ({ pod, reasons }) => [pod, ...reasons.map(({ code, fields }) => ({ code, fields }))],
  );

describe('a pod that does not run', () => {
  it('has the reasons of every NodePool that it selects, the closest first', () => {
    const refused = decided({
      unplaced: [{ pods: [WEB], pools: [tooLarge('general'), tooLarge('batch')], nodes: [] }],
    });

    expect(reasonsOf([refused])).toEqual([
      [
        WEB,
        {
          code: 'too-large',
          fields: { pool: 'batch', request: '64', resource: 'cpu', type: 'm7i.large' },
        },
        {
          code: 'too-large',
          fields: { pool: 'general', request: '64', resource: 'cpu', type: 'm7i.large' },
        },
      ],
    ]);
  });

  it('has the reasons of the last decision about it', () => {
    const before = decided({
      unplaced: [{ pods: [WEB], pools: [tooLarge('general')], nodes: [] }],
    });
    const later = decided({ placements: [{ target: 'general-1', pods: [WEB] }] });
    const ofOthers = decided({ placements: [{ target: 'general-1', pods: ['default/other'] }] });

    expect(reasonsOf([before, later, ofOthers])).toEqual([
      [
        WEB,
        {
          code: 'waiting-for-node',
          fields: { claim: 'general-1', phase: 'launching', since: '30s', typical: '45s' },
        },
      ],
    ]);
  });

  it('waits for its containers once it is bound', () => {
    const bound = { ...aRunningPod('node-1'), phase: 'Pending' as const };

    expect(
      listUnplacedPods({ snapshot: aSnapshot({ pods: [bound], nodes: [aNode({ name: 'node-1' })] }), decisions: [] }),
    ).toMatchObject([{ reasons: [{ code: 'waiting-for-node', fields: { claim: 'node-1', phase: 'ready' } }] }]);
  });

  it('has the reason that no decision was made yet', () => {
    expect(reasonsOf([])).toEqual([[WEB, { code: 'pod-not-considered', fields: { why: 'no decision about it yet' } }]]);
  });

  it('has the reason that a NodePool is missing', () => {
    const refused = decided({ unplaced: [{ pods: [WEB], pools: [], nodes: [] }] });

    expect(reasonsOf([refused])).toEqual([[WEB, { code: 'no-usable-pool', fields: { count: '0' } }]]);
  });
});

describe('pods that run, have ended, are being deleted or belong to a DaemonSet', () => {
  it.for([
    aRunningPod('node-1'),
    aPod({ phase: 'Succeeded' }),
    aPod({ phase: 'Failed' }),
    aPod({ deletionAt: NOON }),
    aPod({ owner: { kind: 'DaemonSet', name: 'logs', uid: 'logs' } }),
  ])('are left out', (pod) => {
    expect(listUnplacedPods({ snapshot: aSnapshot({ pods: [pod] }), decisions: [] })).toEqual([]);
  });
});
