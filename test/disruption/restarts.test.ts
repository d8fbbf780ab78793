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

    expect(findStayReason(decide(aGuardedFleet([restart()], { pods })), 'small')).toBe('blocked-by-pdb');
  });

  it('stays with the reason why its Deployment cannot be restarted', () => {
    const why = 'Deployment default/guard has the strategy Recreate';

    expect(whyItStays(aGuardedFleet([restart({ obstacle: why })]))).toBe(
      `default/guard allows 0 disruptions (maxUnavailable 0, healthy 1), and default/guard cannot be restarted elsewhere: ${why}`,
    );
  });

  describe('whose rollout replaces pods on other nodes too', () => {
    /** One of two replicas leaves; the free CPUs of `big` are for it and the surge. */
    const aSpreadFleet = (freeCpus: number, over: Partial<OwnerRestart> = {}) => {
      const second = guard({ name: 'guard-2' });
      const other: FleetNode = { name: 'other', type: 'large', pods: [second, web('full', 7.5)] };
      const room: FleetNode = { name: 'big', type: 'large', pods: [web('heavy', 8 - freeCpus)] };
      const full = { ...aGuardedFleet([restart({ replicas: 2, ...over })], {}, room) };
      const also = aFleet([other]);
      return {
        ...full,
        nodes: [...full.nodes, ...also.nodes],
        claims: [...full.claims, ...also.claims],
        pods: [...full.pods, ...also.pods],
      };
    };

    it('stays without room for the pod that the rollout runs besides its replicas', () => {
      expect(decide(aSpreadFleet(0.5)).gone).toEqual([]);
      expect(whyItStays(aSpreadFleet(0.5))).toMatch(/with (room for )?1 more of the rollout of ReplicaSet\/guard-5d/);
    });

    it('is consolidated with that room, and only its own pod has a place in the plan', () => {
      const { gone, command } = decide(aSpreadFleet(1));

      expect(gone).toEqual(['small']);
      expect(command?.placements).toMatchObject([{ target: 'big', pods: ['default/guard'] }]);
    });

    it('needs no more room than for the replicas that are left', () => {
      expect(decide(aSpreadFleet(1, { surge: 5 })).gone).toEqual(['small']);
    });

    it('gets a replacement with that room if it has drifted', () => {
      const drift = { reason: 'NodePoolDrifted', text: 'labels', since: NOON } as const;
      const snapshot = aSpreadFleet(0);
      const claims = snapshot.claims.map((claim) => (claim.name === 'small' ? { ...claim, drift } : claim));
      const pods = snapshot.pods.map((pod) =>
        pod.name.startsWith('guard')
          ? { ...pod, spec: { ...pod.spec, requests: { ...pod.spec.requests, cpu: 1500 } } }
          : pod,
      );
      const { command } = decide({ ...snapshot, claims, pods });

      expect(command?.replacements).toMatchObject([{ pods: ['default/guard'], cheapest: { instanceType: 'medium' } }]);
    });
  });

  it('pays for the pods on other nodes that the restart replaces as well', () => {
    const priceOf = (replicas: number) => decide(aGuardedFleet([restart({ replicas })])).command?.price;

    expect(priceOf(1)?.evictions).toBe(1);
    expect(priceOf(3)?.evictions).toBe(3);
    expect(priceOf(3)?.costUsd).toBeGreaterThan(priceOf(1)?.costUsd ?? 0);
    expect(whyItStays(aGuardedFleet([restart({ replicas: 100 })]))).toMatch(/pay back/);
  });

  it('stays if another pod on it is blocked', () => {
    const other = { ...web('other', 0.1), labels: { app: 'guard' } };

    expect(findStayReason(decide(aGuardedFleet([restart()], { pods: [guard(), other] })), 'small')).toBe(
      'blocked-by-pdb',
    );
  });
});
