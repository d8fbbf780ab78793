import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { type CapacityBuffer, computeBufferReplicas } from '../../../shared/model/pods/capacity-buffer.ts';
import type { Resources } from '../../../shared/model/resources.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { fillHeadroom } from '../../../shared/scheduling/assignment/buffer-headroom.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aPodSpec, aPodTemplate } from '../../support/builders.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  createPods,
  fakeType,
  requesting,
  spreadOver,
  tiny,
  ZONE,
} from '../support/fixture.ts';
import { carryOut, countPodsPerDomain, provision } from '../support/provision.ts';

const template = (requests: Resources = requesting(1)) =>
  aPodTemplate({ labels: { app: 'web' }, spec: aPodSpec({ requests }) });

const aBuffer = (over: Partial<CapacityBuffer> = {}): CapacityBuffer => ({
  namespace: 'default',
  name: 'spare',
  uid: 'uid-1',
  generation: 1,
  strategy: 'buffer.x-k8s.io/active-capacity',
  template: template(),
  ...over,
});

const settings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, CapacityBuffer: true } };
const four = fakeType('four', { cpus: 4, gib: 8, pods: 20 });

const clusterWith = (buffers: readonly CapacityBuffer[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  aCluster({ types: [four], buffers, settings, ...over });

const keys = (from: number, to: number, name = 'spare'): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `default/capacity-buffer-${name}-${from + index}`);

describe('the replicas of a CapacityBuffer', () => {
  it.each<[string, Partial<CapacityBuffer>, number]>([
    ['replicas', { replicas: 7 }, 7],
    ['limits cut replicas', { replicas: 10, limits: { cpu: 3000 } }, 3],
    ['limits with room to spare', { replicas: 3, limits: { cpu: 10_000 } }, 3],
    ['limits alone', { limits: { cpu: 5000 } }, 5],
    ['limits on a resource that no pod requests', { replicas: 3, limits: { 'example.com/gpu': 1 } }, 3],
    ['nothing but such limits', { limits: { 'example.com/gpu': 1 } }, 0],
    ['a share of a workload', { percentage: 20, scale: 10 }, 2],
    ['the larger of both, replicas', { replicas: 5, percentage: 20, scale: 10 }, 5],
    ['the larger of both, share', { replicas: 5, percentage: 80, scale: 10 }, 8],
    ['limits cut both', { replicas: 5, percentage: 80, scale: 10, limits: { cpu: 4000 } }, 4],
    ['a share of something is one at least', { percentage: 10, scale: 1 }, 1],
    ['a share of nothing', { percentage: 10, scale: 0 }, 0],
    ['another strategy', { replicas: 3, strategy: 'example.com/later' }, 0],
  ])('are computed from %s', (_, over, expected) => {
    expect(computeBufferReplicas(aBuffer(over))).toBe(expected);
  });

  it('are 0 while its pod template is unknown', () => {
    const { template: _, ...unknown } = aBuffer({ replicas: 3 });
    expect(computeBufferReplicas(unknown)).toBe(0);
  });
});

describe('the headroom of a CapacityBuffer', () => {
  it('is launched together with equal pods, and listed separately', () => {
    const plan = planProvisioning(
      {
        ...clusterWith([aBuffer({ replicas: 5 })]),
        pods: [tiny('a', { requests: requesting(1) })],
      },
      'd',
    );

    expect(plan.claims.map(({ pods, headroom = [] }) => [pods.length, headroom.length])).toEqual(
      expect.arrayContaining([expect.arrayContaining([1])]),
    );
    expect(plan.claims.flatMap(({ pods }) => pods)).toEqual(['default/a']);
    expect(plan.claims.flatMap(({ headroom = [] }) => headroom).toSorted()).toEqual(keys(1, 5));
  });

  it('is launched without any pod', () => {
    const plan = planProvisioning(clusterWith([aBuffer({ replicas: 3 })]), 'd');
    expect(plan.claims.map(({ pods, headroom }) => [pods, headroom])).toEqual([[[], keys(1, 3)]]);
  });

  it('causes no placement, nomination or event on existing nodes', () => {
    const cluster = clusterWith([aBuffer({ replicas: 2 })]);
    const started = carryOut(cluster, planProvisioning(cluster, 'first'));

    expect([...fillHeadroom(started).placed.values()]).toEqual([keys(1, 2)]);
    expect(planProvisioning(started, 'second')).toEqual({
      claims: [],
      placements: [],
      unplaced: [],
      hourlyUsd: 0,
    });
  });

  it('needs a new node if existing nodes are too small', () => {
    const cluster = clusterWith([aBuffer({ replicas: 2 })]);
    const started = carryOut(cluster, planProvisioning(cluster, 'first'));
    const more = { ...started, buffers: [aBuffer({ replicas: 5 })] };

    expect([...fillHeadroom(more).placed.values()].flat()).toHaveLength(3);
    expect(planProvisioning(more, 'd').claims).toHaveLength(1);
  });

  it('disappears with its buffer', () => {
    const cluster = clusterWith([aBuffer({ replicas: 2 })]);
    const started = carryOut(cluster, planProvisioning(cluster, 'first'));
    expect(fillHeadroom({ ...started, buffers: [] }).placed.size).toBe(0);
  });

  it('is ignored if the feature gate is off', () => {
    const cluster = clusterWith([aBuffer({ replicas: 3 })], { settings: DEFAULT_SETTINGS });
    expect(planProvisioning(cluster, 'd').claims).toEqual([]);
  });

  it('comes after real pods: on a node with room for one, the pod gets it', () => {
    const cluster = aCluster({ types: [four], settings });
    const { after } = provision(cluster, tiny('first', { requests: requesting(2) }));
    const pods = [...after.pods, tiny('second', { requests: requesting(1) })];
    const large = aBuffer({ replicas: 1, template: template(requesting(1.5)) });

    const plan = planProvisioning({ ...after, pods, buffers: [large] }, 'd');

    expect(plan.placements.flatMap((one) => one.pods)).toEqual(['default/second']);
    expect(plan.claims.flatMap(({ headroom }) => headroom)).toEqual(keys(1, 1));
  });

  it('never uses capacity that a limit leaves to pods', () => {
    const cluster = clusterWith([aBuffer({ replicas: 4 })], {
      pools: [aPool({ limits: { cpu: 4000 } })],
    });
    const pods = [tiny('a', { requests: requesting(3) })];
    const plan = planProvisioning({ ...cluster, pods }, 'd');

    expect(plan.unplaced).toEqual([]);
    expect(plan.claims.flatMap((one) => one.pods)).toEqual(['default/a']);
  });

  it('does not make kube-scheduler wait for volumes', () => {
    const spec = aPodSpec({ requests: requesting(1), volumeClaims: ['data'] });
    const buffer = aBuffer({ replicas: 1, template: aPodTemplate({ spec }) });
    const storage = { claims: [], volumes: [], classes: [], drivers: [] };
    expect(planProvisioning(clusterWith([buffer], { storage }), 'd').claims).toHaveLength(1);
  });
});

describe('nodes with headroom', () => {
  const pools = [
    aPool({
      disruption: {
        consolidateAfterMs: 0,
        policy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '100%' }],
      },
    }),
  ];
  /** Two nodes: one with a pod and room for two more, and one that is empty. */
  function twoNodes(buffers: readonly CapacityBuffer[]): ClusterSnapshot {
    const cluster = aCluster({ types: [four], settings, pools });
    const first = provision(cluster, tiny('a', { requests: requesting(1.9) }));
    const second = provision(first.after, tiny('b', { requests: requesting(3) }));
    const gone = second.after.pods.filter(({ name }) => name !== 'b');
    const later = second.after.takenAt + 3_600_000;
    return { ...second.after, pods: gone, takenAt: later, nominations: {}, buffers };
  }

  it('are removed if they are empty and no buffer needs them', () => {
    expect(planDisruption(twoNodes([]), [], 'd').command?.reason).toBe('Empty');
  });

  it('are not empty while a buffer occupies them', () => {
    const { command } = planDisruption(twoNodes([aBuffer({ replicas: 4 })]), [], 'd');
    expect(command).toBeUndefined();
  });

  it('are removed if the headroom fits elsewhere', () => {
    const { command } = planDisruption(twoNodes([aBuffer({ replicas: 1 })]), [], 'd');
    expect(command?.reason).toBe('Empty');
    expect(command?.placements).toEqual([]);
  });
});

describe('buffer pods', () => {
  const joins = { podAffinity: [affinityTo('web', ZONE)] };

  it('are not joined by pods with affinity', () => {
    const { pending } = provision(clusterWith([aBuffer({ replicas: 1 })]), tiny('a', joins, { app: 'a' }));

    expect(pending).toEqual(['a']);
  });

  it('are not counted by spreads of pods', () => {
    const spread = { topologySpread: [spreadOver(ZONE)], requests: requesting(1) };
    const outcome = provision(clusterWith([aBuffer({ replicas: 2 })]), ...createPods(3, 'a', spread));

    expect(countPodsPerDomain(outcome)).toEqual([1, 1, 1]);
  });
});
