import { describe, expect, it } from 'vitest';
import { podViews } from '../../../console/views/pods.ts';
import { aNode, aNodeClaim, anInitializedClaim, aPod, aRunningPod, NOON } from '../../support/builders.ts';
import { aPlannedClaim, aProvisioning } from '../support/decisions.ts';
import { someFacts } from '../support/facts.ts';

describe('views of pods', () => {
  it('show a bound pod on the claim whose Node it runs on', () => {
    const facts = someFacts({
      snapshot: {
        pods: [aRunningPod('ip-1')],
        nodes: [aNode({ name: 'ip-1' })],
        claims: [anInitializedClaim('ip-1')],
      },
    });

    expect(podViews(facts)).toMatchObject([{ key: 'default/web-1', node: 'general-1', state: 'running', since: NOON }]);
  });

  it('show a pending pod as nominated for the claim that was planned for it', () => {
    const facts = someFacts({
      snapshot: { pods: [aPod()], claims: [aNodeClaim()] },
      decisions: [aProvisioning({ claims: [aPlannedClaim()] })],
    });

    expect(podViews(facts)).toMatchObject([{ nominated: 'general-1', state: 'pending' }]);
  });

  it('show no nomination for a deleted claim', () => {
    const facts = someFacts({
      snapshot: { pods: [aPod()] },
      decisions: [aProvisioning({ claims: [aPlannedClaim()] })],
    });

    expect(podViews(facts)[0]).not.toHaveProperty('nominated');
  });

  it.each([
    ['evicted', { deletionAt: NOON }, 'leaving'],
    ['bound and not started', { phase: 'Pending', ready: false }, 'starting'],
    ['not ready', { ready: false }, 'starting'],
  ] as const)('show a pod that is %s in that state', (_, over, state) => {
    const pods = [aRunningPod('node-1', over)];
    expect(podViews(someFacts({ snapshot: { pods } }))).toMatchObject([{ state }]);
  });

  it('leave out finished pods, which occupy no resources', () => {
    const pods = [aPod({ phase: 'Succeeded' }), aPod({ name: 'web-2', phase: 'Failed' })];
    expect(podViews(someFacts({ snapshot: { pods } }))).toEqual([]);
  });

  it.each([
    [{ kind: 'ReplicaSet', name: 'web-7c9d8f5b4', uid: 'r' }, 'web'],
    [{ kind: 'StatefulSet', name: 'ledger', uid: 's' }, 'ledger'],
    [undefined, 'web-1'],
  ])('assign a pod of %o to %s', (owner, workload) => {
    const pods = [aPod(owner === undefined ? {} : { owner })];
    expect(podViews(someFacts({ snapshot: { pods } }))).toMatchObject([{ workload }]);
  });

  it('keep the view of an unchanged pod, so that no patch is sent for it', () => {
    const facts = someFacts({ snapshot: { pods: [aPod()] } });
    expect(podViews(facts)[0]).toBe(podViews(facts)[0]);
  });
});
