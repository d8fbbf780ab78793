import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { ZONE_LABEL } from '../../shared/model/labels.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../shared/model/pods/pod.ts';
import { type ClusterChanges, changeSnapshot } from '../../shared/what-if/change-snapshot.ts';
import { completeChanges } from '../../shared/what-if/complete-changes.ts';
import { type Projection, planNextRound, startProjection } from '../../shared/what-if/steady-state.ts';
import { compareOutcomes, type WhatIfOutcome } from '../../shared/what-if/what-if.ts';
import {
  aDeployment,
  aLaunch,
  aNode,
  aNodeClaim,
  aNodePool,
  anInitializedClaim,
  aPod,
  aPodDisruptionBudget,
  aPodSpec,
  aPodTemplate,
  aSnapshot,
  NOON,
  nodeLabels,
  offeringsOf,
  resources,
  ZONES,
} from '../support/builders.ts';

const ALL = { budgets: [{ nodes: '100%' }], policy: 'WhenEmptyOrUnderutilized' } as const;
const POOL = aNodePool({ disruption: { ...ALL, consolidateAfterMs: 30_000 } });

/** Without spot offerings, so that no node is replaced by a cheaper one. */
const ON_DEMAND = offeringsOf('m7i.large', 0.1008, ZONES, ['on-demand']);

/** Pods of Deployment web, of which a node holds one. */
const webPods = (nodes: readonly string[]): readonly Pod[] =>
  nodes.map((nodeName, index) =>
    aPod({
      ...{ name: `web-${index + 1}`, namespace: 'shop', nodeName, phase: 'Running', ready: true },
      owner: { kind: 'ReplicaSet', name: 'web-abcde12345', uid: 'rs-web' },
      spec: aPodSpec({ requests: resources(1.2, 2, { pods: 1 }) }),
    }),
  );

/** Two nodes with a pod each: `general-1` in zone a, `general-2` in zone b. */
function twoNodes(over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const zones = ['us-east-1a', 'us-east-1b'];
  return aSnapshot({
    pools: [POOL],
    offerings: ON_DEMAND,
    claims: zones.map((zone, index) =>
      anInitializedClaim(`ip-${index + 1}`, {
        name: `general-${index + 1}`,
        poolHash: POOL.hash,
        launch: aLaunch({
          ...{ zone, providerId: `aws:///${zone}/i-${index + 1}` },
          labels: nodeLabels({ [ZONE_LABEL]: zone }),
        }),
      }),
    ),
    nodes: zones.map((zone, index) =>
      aNode({
        name: `ip-${index + 1}`,
        providerId: `aws:///${zone}/i-${index + 1}`,
        labels: nodeLabels({ [ZONE_LABEL]: zone }),
      }),
    ),
    pods: webPods(['ip-1', 'ip-2']),
    ...over,
  });
}

/** The same nodes, launched as spot instances for $0.04 an hour each. */
function onSpot(snapshot: ClusterSnapshot): ClusterSnapshot {
  const toSpot = (claim: NodeClaim): NodeClaim =>
    claim.launch ? { ...claim, launch: { ...claim.launch, capacityType: 'spot', hourlyUsd: 0.04 } } : claim;
  const offerings = offeringsOf('m7i.large', 0.1, ZONES, ['spot']);
  return { ...snapshot, claims: snapshot.claims.map(toSpot), offerings };
}

function projectSteadyState(snapshot: ClusterSnapshot): Projection {
  let projection = startProjection(completeChanges(snapshot));
  while (!projection.isSteady) projection = planNextRound(projection);
  return projection;
}

function whatIf(changes: ClusterChanges, snapshot = twoNodes()): WhatIfOutcome {
  const changed = projectSteadyState(changeSnapshot(snapshot, changes));
  return compareOutcomes({ now: snapshot, unchanged: projectSteadyState(snapshot), changed });
}

describe('a change of a snapshot', () => {
  it('changes nothing if it is empty', () => {
    const { now, unchanged, changed, launched, gone, moved } = whatIf({});
    expect(now).toEqual({ nodes: 2, hourlyUsd: 0.2016, runningPods: 2, pendingPods: 0 });
    expect(unchanged).toEqual(now);
    expect(changed).toEqual(now);
    expect([launched, gone, moved]).toEqual([[], [], []]);
  });

  it('launches nodes for the pods of a workload that grows', () => {
    const { changed, launched } = whatIf({
      scale: { namespace: 'shop', name: 'web', replicas: 4 },
    });
    expect(changed).toMatchObject({ nodes: 4, runningPods: 4, pendingPods: 0 });
    expect(launched.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    expect(launched[0]).toMatchObject({ pool: 'general', instanceType: 'm7i.large' });
  });

  it('removes the nodes that a smaller workload leaves empty', () => {
    const { changed, gone } = whatIf({ scale: { namespace: 'shop', name: 'web', replicas: 1 } });
    expect(changed).toMatchObject({ nodes: 1, hourlyUsd: 0.1008, runningPods: 1 });
    expect(gone).toEqual([expect.objectContaining({ reason: 'Empty' })]);
  });

  it('moves the pods of a lost zone to nodes in other zones', () => {
    const { launched, gone, moved } = whatIf({ lostZone: 'us-east-1a' });
    expect(gone).toEqual([{ name: 'general-1', instanceType: 'm7i.large', zone: 'us-east-1a' }]);
    expect(launched.map(({ zone }) => zone)).not.toContain('us-east-1a');
    expect(moved).toEqual(['shop/web-1']);
  });

  it('leaves pods pending that only spot nodes can run once EC2 has no spot capacity', () => {
    const { changed, stranded, unplaced } = whatIf({ losesSpot: true }, onSpot(twoNodes()));
    expect(changed).toMatchObject({ nodes: 0, hourlyUsd: 0, pendingPods: 2 });
    expect(stranded).toBe(2);
    expect(unplaced.flatMap(({ pods }) => pods).toSorted()).toEqual(['shop/web-1', 'shop/web-2']);
  });

  it('prices running spot nodes at the changed spot price', () => {
    const { unchanged, changed } = whatIf({ spotPriceFactor: 2 }, onSpot(twoNodes()));
    expect([unchanged.hourlyUsd, changed.hourlyUsd]).toEqual([0.08, 0.16]);
  });

  it('replaces the nodes that a changed NodePool no longer allows', () => {
    const requirements = [{ key: ZONE_LABEL, operator: 'In', values: ['us-east-1b'] }] as const;
    const pools = [{ ...POOL, requirements }];
    const { gone, launched } = whatIf({
      manifests: { pools, nodeClasses: [], workloads: [], pods: [] },
    });
    expect(gone).toEqual([expect.objectContaining({ name: 'general-1', reason: 'Drifted' })]);
    expect(launched.map(({ zone }) => zone)).toEqual(['us-east-1b']);
  });

  it('replaces all pods of a written workload, as a rollout does', () => {
    const spec = aPodSpec({ requests: resources(1.5, 2, { pods: 1 }) });
    const template = aPodTemplate({ spec });
    const web = aDeployment({ namespace: 'shop', name: 'web', replicas: 1, template });
    const { changed } = whatIf({
      manifests: { pools: [], nodeClasses: [], workloads: [web], pods: [] },
    });
    expect(changed).toMatchObject({ nodes: 1, runningPods: 1 });
  });

  it('keeps a node whose pod a PodDisruptionBudget protects, and says so', () => {
    const snapshot = twoNodes({
      podDisruptionBudgets: [aPodDisruptionBudget({ namespace: 'shop', name: 'web', disruptionsAllowed: 0 })],
      pools: [{ ...POOL, requirements: [] }],
    });
    const pools = [
      {
        ...POOL,
        requirements: [{ key: ZONE_LABEL, operator: 'In', values: ['us-east-1b'] } as const],
      },
    ];
    const { gone, verdicts } = whatIf({ manifests: { pools, nodeClasses: [], workloads: [], pods: [] } }, snapshot);
    expect(gone).toEqual([]);
    expect(verdicts.map(({ reason }) => reason.code)).toContain('blocked-by-pdb');
  });
});

describe('what is under way in a snapshot', () => {
  it('counts as done: nodes that start are ready and hold the pods that wait for them', () => {
    const claim = aNodeClaim({ name: 'general-3', launch: aLaunch({ zone: 'us-east-1a' }) });
    const pod = aPod({ spec: aPodSpec({ requests: resources(1, 1, { pods: 1 }) }) });
    const { snapshot, unplaced } = projectSteadyState(
      aSnapshot({
        pools: [POOL],
        offerings: ON_DEMAND,
        claims: [claim],
        pods: [{ ...pod, unschedulableSince: NOON }],
      }),
    );
    expect(unplaced).toEqual([]);
    expect(snapshot.nodes.map(({ name }) => name)).toEqual(['general-3']);
    expect(snapshot.pods.map(({ nodeName, phase }) => [nodeName, phase])).toEqual([['general-3', 'Running']]);
  });

  it('counts as done: nodes that leave are gone, and their pods have other places', () => {
    const snapshot = twoNodes();
    const claims = snapshot.claims.map((claim, index) => (index === 0 ? { ...claim, deletingAt: NOON } : claim));
    const { snapshot: after } = projectSteadyState({ ...snapshot, claims });
    expect(after.claims.map(({ name }) => name)).not.toContain('general-1');
    expect(after.pods.every(({ nodeName }) => nodeName !== undefined)).toBe(true);
  });
});
