import { describe, expect, it } from 'vitest';
import { stateView } from '../../../console/views/state.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { aNode, aNodeClaim, anInitializedClaim, aPod, aPodSpec, NOON, podsOf } from '../../support/builders.ts';
import { anUnplaced, aPlannedClaim, aProvisioning } from '../support/decisions.ts';
import { someFacts } from '../support/facts.ts';

const groupsOf = (snapshot: Partial<ClusterSnapshot>, decisions: readonly Decision[] = []) =>
  stateView(someFacts({ snapshot, decisions })).pending;

describe('the pending lane', () => {
  it('shows that pods without a decision are being decided on', () => {
    expect(groupsOf({ pods: [aPod()] })).toEqual([
      {
        id: 'deciding',
        title: 'default/web-1',
        status: 'deciding',
        line: { text: 'No decision yet' },
        pods: ['default/web-1'],
        since: NOON,
        nodes: [],
      },
    ]);
  });

  it('says what holds a pod that no planner looks at, as its explanation does', () => {
    const gated = aPod({ spec: aPodSpec({ schedulingGates: ['team/quota'] }) });

    expect(groupsOf({ pods: [gated] })).toMatchObject([
      { status: 'held', line: { text: 'its scheduling gates (team/quota) hold it back' } },
    ]);
  });

  it('groups the pods of one plan that wait for its nodes', () => {
    const pods = podsOf(2);
    const planned = aPlannedClaim({ pods: ['default/web-1', 'default/web-2'] });

    expect(groupsOf({ pods, claims: [aNodeClaim()] }, [aProvisioning({ claims: [planned] })])).toMatchObject([
      {
        id: 'decided p-1',
        title: 'default/web ×2',
        status: 'starting',
        line: { text: 'On general-1' },
        nodes: ['general-1'],
      },
    ]);
  });

  it('shows pods that fit on a running node as waiting for kube-scheduler only', () => {
    const snapshot = {
      pods: [aPod()],
      claims: [anInitializedClaim('ip-1')],
      nodes: [aNode({ name: 'ip-1' })],
    };
    const placed = aProvisioning({ placements: [{ target: 'ip-1', pods: ['default/web-1'] }] });

    expect(groupsOf(snapshot, [placed])).toMatchObject([{ status: 'fits', line: { text: 'Room on general-1' } }]);
  });

  it('names the NodePool that came closest for blocked pods, and its reason', () => {
    expect(groupsOf({ pods: [aPod()] }, [aProvisioning({ unplaced: [anUnplaced()] })])).toMatchObject([
      {
        status: 'blocked',
        line: {
          text: 'NodePool general: cpu 48 of 48 in use; smallest fitting node m7i.large adds 2',
        },
      },
    ]);
  });

  it('shows the longest wait first', () => {
    const blocked = aPod({ name: 'old', unschedulableSince: NOON - 60_000 });
    const unplaced = anUnplaced({ pods: ['default/old'] });

    expect(
      groupsOf({ pods: [aPod(), blocked] }, [aProvisioning({ unplaced: [unplaced] })]).map(({ status }) => status),
    ).toEqual(['blocked', 'deciding']);
  });

  it('shows no decision for DaemonSet pods', () => {
    const pods = [aPod({ owner: { kind: 'DaemonSet', name: 'logs', uid: 'ds' } })];
    expect(groupsOf({ pods })).toEqual([]);
  });

  it('names the namespace once in a title and counts the workloads that do not fit into it', () => {
    const pods = ['search', 'cart', 'web'].flatMap((name, index) =>
      podsOf(3 - index, { name, namespace: 'shop', spec: aPodSpec() }),
    );
    expect(groupsOf({ pods })[0]?.title).toBe('shop/search ×3, cart ×2 and 1 more');
  });
});
