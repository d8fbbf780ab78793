import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../shared/disruption/plan-disruption.ts';
import type { UnreadableObject } from '../../shared/model/cluster-snapshot.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { aNode, aNodeClaim, aNodePool, aPod, aSnapshot, NOON } from '../support/builders.ts';

const unreadable = (forbids: UnreadableObject['forbids']): UnreadableObject[] => [
  { kind: 'Pod', namespace: 'shop', name: 'odd', why: 'spec.containers is a number', forbids },
];

describe('no decision on missing data', () => {
  it('launches nothing while an object is unreadable that forbids it, and says so', () => {
    const snapshot = aSnapshot({ pods: [aPod()], pools: [aNodePool()] });

    expect(planProvisioning(snapshot, 'd').claims).toHaveLength(1);
    const plan = planProvisioning({ ...snapshot, unreadable: unreadable(['launch']) }, 'd');
    expect(plan.claims).toEqual([]);
    expect(plan.unplaced[0]?.pools[0]?.reasons[0]?.code).toBe('state-incomplete');
  });

  it('removes nothing: a node that looks empty may hold the pod that could not be read', () => {
    const claim = aNodeClaim({ initializedAt: NOON - 60_000, registeredAt: NOON - 60_000 });
    const node = aNode({ providerId: claim.launch?.providerId ?? '' });
    const snapshot = aSnapshot({ pods: [], nodes: [node], claims: [claim], pools: [aNodePool()] });

    const plan = planDisruption({ ...snapshot, unreadable: unreadable(['remove']) }, [], 'd');
    expect(plan.command).toBeUndefined();
    expect(plan.verdicts.map(({ reason }) => reason.code)).toEqual(['state-incomplete']);
  });

  it('goes on when what is missing has no part in it', () => {
    const snapshot = aSnapshot({
      pods: [aPod()],
      pools: [aNodePool()],
      unreadable: unreadable([]),
    });

    expect(planProvisioning(snapshot, 'd').claims).toHaveLength(1);
  });
});
