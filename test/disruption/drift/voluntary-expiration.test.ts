import { describe, expect, it } from 'vitest';
import { markDriftedClaims } from '../../../shared/disruption/drift/mark-drift.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Budget, NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { aFleet, decide, findStayReason, web, willing } from '../fleet.ts';

const CLOSED: readonly Budget[] = [{ nodes: '0' }];
const ONE_AT_A_TIME: readonly Budget[] = [{ nodes: '1' }];

const aPool = (budgets: readonly Budget[], over: Partial<NodePool> = {}): NodePool => ({
  ...willing({ consolidateAfterMs: 'Never', budgets }),
  expiresVoluntarily: true,
  ...over,
});

/** Three nodes with a pod each, all of them expired for a day. */
const anExpiredFleet = (pool: NodePool): ClusterSnapshot => {
  const fleet = aFleet(
    ['a', 'b', 'c'].map((name) => ({
      name,
      pods: [web(`pod-${name}`)],
      claim: { createdAt: NOON - 31 * DAY_MS, expireAfterMs: 30 * DAY_MS, poolHash: pool.hash },
    })),
    { pools: [pool] },
  );
  const marked = new Map(markDriftedClaims(fleet).map((claim) => [claim.name, claim]));
  return { ...fleet, claims: fleet.claims.map((claim) => marked.get(claim.name) ?? claim) };
};

describe('voluntary expiration', () => {
  it('replaces no expired node while a window is closed', () => {
    const decision = decide(anExpiredFleet(aPool(CLOSED)));

    expect(decision.command).toBeUndefined();
    expect(findStayReason(decision, 'a')).toBe('budget-closed');
  });

  it('replaces expired nodes as fast as the budget allows', () => {
    const decision = decide(anExpiredFleet(aPool(ONE_AT_A_TIME)));

    expect(decision.command).toMatchObject({ reason: 'Drifted' });
    expect(decision.gone).toHaveLength(1);
  });

  it('marks expired nodes only in pools with the annotation', () => {
    const { expiresVoluntarily: _, ...forceful } = aPool(CLOSED);

    expect(anExpiredFleet(forceful).claims.some(({ drift }) => drift)).toBe(false);
    expect(anExpiredFleet(aPool(CLOSED)).claims.map(({ drift }) => drift?.reason)).toEqual(
      Array.from({ length: 3 }, () => 'Expired'),
    );
  });

  it('copies the settings of the pool to its claims and removes them again', () => {
    const pool = aPool(CLOSED, { minDrainMs: HOUR_MS });
    const fleet = anExpiredFleet(pool);
    const { expiresVoluntarily: _, minDrainMs: __, ...forceful } = pool;
    const [claim] = markDriftedClaims({
      ...fleet,
      pools: [forceful],
      takenAt: NOON + HOUR_MS,
    });

    expect(fleet.claims[0]).toMatchObject({ expiresVoluntarily: true, minDrainMs: HOUR_MS });
    expect(claim).not.toHaveProperty('expiresVoluntarily');
    expect(claim).not.toHaveProperty('minDrainMs');
    expect(claim).not.toHaveProperty('drift');
  });
});
