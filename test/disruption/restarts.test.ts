import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatReason } from '../../shared/model/explanations/reasons.ts';
import { RESTART_WHEN_BLOCKED_ANNOTATION } from '../../shared/model/labels.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import type { OwnerRestart } from '../../shared/model/pods/workload.ts';
import { aPodDisruptionBudget, aSelector, NOON } from '../support/builders.ts';
import { aFleet, decide, type FleetNode, findStayReason, web } from './fleet.ts';

/** A pod that its budget keeps, but whose Deployment may be restarted. */
const guard = (over: Partial<Pod> = {}): Pod => ({
  ...web('guard', 0.5),
  labels: { app: 'guard' },
  annotations: { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' },
  owner: { kind: 'ReplicaSet', name: 'guard-5d', uid: 'rs-guard' },
  ...over,
});
const restart = (over: Partial<OwnerRestart> = {}): OwnerRestart => ({
  owner: 'rs-guard',
  replicas: 1,
  surge: 1,
  ...over,
});
const budget = aPodDisruptionBudget({ name: 'guard', selector: aSelector({ app: 'guard' }) });
const big: FleetNode = { name: 'big', type: 'large', pods: [web('heavy', 7)] };

function aGuardedFleet(
  restarts: readonly OwnerRestart[] | undefined,
  node: Partial<FleetNode> = {},
  second: FleetNode = big,
): ClusterSnapshot {
  return aFleet([{ name: 'small', pods: [guard()], ...node }, second], {
    podDisruptionBudgets: [budget],
    ...(restarts && { restarts }),
  });
}

const whyItStays = (snapshot: ClusterSnapshot): string => {
  const verdict = decide(snapshot).verdicts.find(({ claim }) => claim === 'small');
  return verdict?.outcome === 'stays' ? formatReason(verdict.reason) : '';
};

describe('a node whose pod is blocked by its budget, and may be restarted', () => {
  it('is consolidated: the plan has a place for the pod', () => {
    const { gone, command } = decide(aGuardedFleet([restart()]));

    expect(gone).toEqual(['small']);
    expect(command?.placements).toMatchObject([{ target: 'big', pods: ['default/guard'] }]);
  });

  it('is replaced if it has drifted: the replacement has room for the pod', () => {
    const drift = { reason: 'NodePoolDrifted', text: 'labels', since: NOON } as const;
    const full: FleetNode = { name: 'big', type: 'large', pods: [web('heavy', 8)] };
    const { command } = decide(aGuardedFleet([restart()], { claim: { drift } }, full));

    expect(command?.reason).toBe('Drifted');
    expect(command?.replacements.flatMap(({ pods }) => pods)).toEqual(['default/guard']);
  });

  it('stays if its pod has no other place', () => {
    const full: FleetNode = { name: 'big', type: 'large', pods: [web('heavy', 8)] };

    expect(decide(aGuardedFleet([restart()], {}, full)).gone).toEqual([]);
  });

  it.each<[string, readonly OwnerRestart[] | undefined]>([
    ['nothing was read about its Deployment', undefined],
    ['the restart of another Deployment is possible', [restart({ owner: 'rs-other' })]],
  ])('stays as before if %s', (_, restarts) => {
    expect(findStayReason(decide(aGuardedFleet(restarts)), 'small')).toBe('blocked-by-pdb');
  });

  it('stays if its template does not allow the restart', () => {
    const pods = [guard({ annotations: {} })];

    expect(findStayReason(decide(aGuardedFleet([restart()], { pods })), 'small')).toBe(
      'blocked-by-pdb',
    );
  });

  it('stays with the reason why its Deployment cannot be restarted', () => {
    const why = 'Deployment default/guard has the strategy Recreate';

    expect(whyItStays(aGuardedFleet([restart({ obstacle: why })]))).toBe(
      `default/guard allows 0 disruptions (maxUnavailable 0, healthy 1), and default/guard cannot be restarted elsewhere: ${why}`,
    );
  });

  it.each([
    [1, 1, ''],
    [2, 1, /starts 2 pods at once, and 1 would leave the node; lower maxSurge$/],
    [2, 2, ''],
  ])(
    'has to leave with as many pods as its rollout starts at once: %i for %i',
    (surge, pods, why) => {
      const guards = Array.from({ length: pods }, (_, index) => guard({ name: `guard-${index}` }));
      const room: FleetNode = { name: 'big', type: 'large', pods: [web('heavy', 6)] };
      const snapshot = aGuardedFleet([restart({ surge, replicas: 2 })], { pods: guards }, room);

      if (why === '') expect(decide(snapshot).gone).toEqual(['small']);
      else expect(whyItStays(snapshot)).toMatch(why);
    },
  );

  it('pays for the pods on other nodes that the restart replaces as well', () => {
    const priceOf = (replicas: number) =>
      decide(aGuardedFleet([restart({ replicas })])).command?.price;

    expect(priceOf(1)?.evictions).toBe(1);
    expect(priceOf(3)?.evictions).toBe(3);
    expect(priceOf(3)?.costUsd).toBeGreaterThan(priceOf(1)?.costUsd ?? 0);
    expect(whyItStays(aGuardedFleet([restart({ replicas: 100 })]))).toMatch(/pay back/);
  });

  it('stays if another pod on it is blocked', () => {
    const other = { ...web('other', 0.1), labels: { app: 'guard' } };

    expect(
      findStayReason(decide(aGuardedFleet([restart()], { pods: [guard(), other] })), 'small'),
    ).toBe('blocked-by-pdb');
  });
});
