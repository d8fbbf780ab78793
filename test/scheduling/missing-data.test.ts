import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../shared/disruption/plan-disruption.ts';
import type { UnreadableObject } from '../../shared/model/cluster-snapshot.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { aNode, aNodeClaim, aNodePool, aPod, aSnapshot, NOON } from '../support/builders.ts';

const unreadable = (forbids: UnreadableObject['forbids']): UnreadableObject[] => [
  { kind: 'Pod', namespace: 'shop', name: 'odd', why: 'spec.containers is a number', forbids },
];

describe('a snapshot with unreadable objects', () => {
  it('launches nothing if a required object is unreadable, and explains it', () => {
    const snapshot = aSnapshot({ pods: [aPod()], pools: [aNodePool()] });

    expect(planProvisioning(snapshot, 'd').claims).toHaveLength(1);
    const plan = planProvisioning({ ...snapshot, unreadable: unreadable(['launch']) }, 'd');
    expect(plan.claims).toEqual([]);
    expect(plan.unplaced[0]?.pools[0]?.reasons[0]?.code).toBe('state-incomplete');
  });

  it('removes nothing, because a node that looks empty may run an unreadable pod', () => {
    const claim = aNodeClaim({ initializedAt: NOON - 60_000, registeredAt: NOON - 60_000 });
    const node = aNode({ providerId: claim.launch?.providerId ?? '' });
    const snapshot = aSnapshot({ pods: [], nodes: [node], claims: [claim], pools: [aNodePool()] });

    const plan = planDisruption({ ...snapshot, unreadable: unreadable(['remove']) }, [], 'd');
    expect(plan.command).toBeUndefined();
    expect(plan.verdicts.map(({ reason }) => reason.code)).toEqual(['state-incomplete']);
  });

  it('allows decisions that the missing data does not affect', () => {
    const snapshot = aSnapshot({
      pods: [aPod()],
      pools: [aNodePool()],
      unreadable: unreadable([]),
    });

    expect(planProvisioning(snapshot, 'd').claims).toHaveLength(1);
  });
});
