import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { listChanges } from '../../../shared/model/explanations/plan-text.ts';
import type { Fix, ProvisioningPlan } from '../../../shared/model/plans.ts';
import { type PodKey, podKey } from '../../../shared/model/pods/pod.ts';
import { formatInstant, MINUTE_MS } from '../../../shared/model/time.ts';
import { applyPlan } from '../../../shared/scheduling/explanation/cluster-after-plan.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { applyFix } from '../../../shared/what-if/apply-fix.ts';
import { NOON } from '../../support/builders.ts';
import { anyCluster } from '../support/any-cluster.ts';
import {
  aCluster,
  affinityTo,
  aPool,
  aPoolRequiring,
  createPods,
  HOSTNAME,
  need,
  requesting,
  TYPE,
  tiny,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';
import { provision } from '../support/provision.ts';

const fixOf = (cluster: ClusterSnapshot, ...pods: ReturnType<typeof tiny>[]): Fix | undefined =>
  provision(cluster, ...pods).plan.unplaced[0]?.fix;

describe('the smallest change that lets a pod run', () => {
  it('raises a limit to what is needed, with the additional cost', () => {
    const cluster = aCluster({ pools: [aPool({ limits: { cpu: 1000 } })] });
    const fix = fixOf(cluster, ...createPods(2, 'a', { requests: requesting(1.5) }));

    expect(fix).toMatchObject({
      kind: 'raise-limit',
      object: 'NodePool/default',
      path: 'spec.limits.cpu',
      from: '1',
      to: '4',
    });
    expect(fix?.hourlyUsd).toBeGreaterThan(0);
  });

  it.each([
    ['SubnetsNotFound', 'spec.subnetSelectorTerms', 'a subnet'],
    ['SecurityGroupsNotFound', 'spec.securityGroupSelectorTerms', 'a security group'],
    ['NodeClassNotFound', 'metadata.name', 'default'],
  ])('corrects the EC2NodeClass that selects nothing: %s', (condition, path, to) => {
    const notReady = { condition, message: 'nothing is there' };
    const pool = aPool({ ready: false, notReady });
    const cluster = { ...aCluster({ pools: [pool] }), zones: { [pool.name]: [] } };
    const fix = fixOf(cluster, ...createPods(1, 'a', { requests: requesting(1) }));

    expect(fix).toMatchObject({ kind: 'correct-class', object: 'EC2NodeClass/default', path, to });
    expect(fix?.hourlyUsd).toBeGreaterThan(0);
  });

  it('does not propose to correct an EC2NodeClass with which the pod would not run either', () => {
    const notReady = { condition: 'SubnetsNotFound', message: 'nothing is there' };
    const cluster = aCluster({ pools: [aPool({ ready: false, notReady })] });

    expect(fixOf(cluster, ...createPods(1, 'a', { requests: requesting(900) }))).toBeUndefined();
  });

  it('counts what the plan itself uses of the limit', () => {
    const cluster = aCluster({ pools: [aPool({ limits: { cpu: 3000 } })] });
    const apart = { requests: requesting(1.5), podAntiAffinity: [affinityTo('web', HOSTNAME)] };
    const { plan } = provision(cluster, ...createPods(3, 'a', apart));

    expect(plan.claims).toHaveLength(1);
    expect(plan.unplaced[0]?.pools[0]?.reasons[0]).toMatchObject({
      code: 'limit-reached',
      fields: { resource: 'cpu', used: '2', limit: '3', needed: '2' },
    });
    expect(plan.unplaced[0]?.fix).toMatchObject({ kind: 'raise-limit', from: '3', to: '6' });
  });

  it('adds a toleration to the Deployment of the pod', () => {
    const taint = { key: 'dedicated', value: 'yes', effect: 'NoSchedule' } as const;
    const pod = {
      ...tiny('web-7c9-x', {}, { app: 'web', 'pod-template-hash': '7c9' }),
      owner: { kind: 'ReplicaSet', name: 'web-7c9', uid: 'rs' },
    };

    expect(fixOf(aCluster({ pools: [aPool({ taints: [taint] })] }), pod)).toMatchObject({
      kind: 'add-toleration',
      object: 'Deployment/web',
      path: 'spec.template.spec.tolerations',
      to: 'dedicated=yes:NoSchedule',
    });
  });

  it('allows another value in the NodePool', () => {
    const cluster = aCluster({
      pools: [aPoolRequiring(need(TYPE, 'Exists'), need(ZONE, 'In', Z1))],
    });

    expect(fixOf(cluster, tiny('a', { nodeSelector: { [ZONE]: Z2 } }))).toMatchObject({
      kind: 'allow-values',
      object: 'NodePool/default',
      path: 'spec.template.spec.requirements[1].values',
      from: '[test-zone-1]',
      to: '[test-zone-1, test-zone-2]',
    });
  });

  it('names the label that was probably meant', () => {
    expect(fixOf(aCluster(), tiny('a', { nodeSelector: { zone: Z2 } }))).toMatchObject({
      kind: 'rename-label',
      object: 'Pod/a',
      path: 'spec.nodeSelector',
      from: 'zone',
      to: ZONE,
    });
  });

  it("adds the label that the pod selects to the NodePool's nodes", () => {
    expect(fixOf(aCluster(), tiny('a', { nodeSelector: { 'example.com/rack': 'r1' } }))).toMatchObject({
      kind: 'add-label',
      object: 'NodePool/default',
      path: 'spec.template.metadata.labels',
      to: 'example.com/rack=r1',
    });
  });

  it('never adds a label of a Kubernetes or EC2 domain', () => {
    const keys = ['node-role.kubernetes.io/worker', 'topology.k8s.aws/rack', 'karpenter.sh/team'];

    for (const key of keys) {
      expect(fixOf(aCluster(), tiny('a', { nodeSelector: { [key]: 'r1' } })), key).toBeUndefined();
    }
  });

  it('drops the requirement that leaves a NodePool no type', () => {
    const cluster = aCluster({
      pools: [aPoolRequiring(need(ZONE, 'In', Z1), need(TYPE, 'In', 'm99'))],
    });

    expect(fixOf(cluster, tiny('a'))).toMatchObject({
      kind: 'drop-requirement',
      object: 'NodePool/default',
      path: 'spec.template.spec.requirements[1]',
      from: `${TYPE} In [m99]`,
    });
  });

  it('allows another zone for pods with anti-affinity', () => {
    const cluster = aCluster({
      pools: [aPoolRequiring(need(TYPE, 'Exists'), need(ZONE, 'In', Z1))],
    });
    const apart = { podAntiAffinity: [affinityTo('web', ZONE)] };

    expect(fixOf(cluster, tiny('a', apart), tiny('b', apart))).toMatchObject({
      kind: 'allow-values',
      path: 'spec.template.spec.requirements[1].values',
    });
  });

  it('suggests waiting only if no change helps', () => {
    const until = NOON + 3 * MINUTE_MS;
    const unavailable = { instanceType: 'default', until };
    const only = (...types: string[]) =>
      aCluster({ pools: [aPoolRequiring(need(TYPE, 'In', ...types))], unavailable: [unavailable] });
    const everything = aCluster({ unavailable: [{ until }] });

    expect(fixOf(only('default'), tiny('a'))).toMatchObject({ kind: 'allow-values' });
    expect(fixOf(everything, tiny('a'))).toMatchObject({
      kind: 'wait',
      to: '2026-01-01T12:03:00Z',
    });
  });

  it('does not suggest waiting if the pods would never be placed', () => {
    const until = NOON + 3 * MINUTE_MS;
    const forEver = { instanceType: 'default', until: NOON + 24 * 60 * MINUTE_MS };
    const cluster = aCluster({ unavailable: [{ until }, forEver] });

    expect(fixOf(cluster, tiny('a', { requests: requesting(512) }))).toBeUndefined();
  });

  it('is missing if no single change is enough', () => {
    expect(fixOf(aCluster(), tiny('a', { requests: requesting(512) }))).toBeUndefined();
  });

  it('places the pods when it is applied, in any cluster', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const plan = planProvisioning(cluster, 'decision-1');
        for (const unplaced of plan.unplaced) {
          if (!unplaced.fix) continue;
          const fixed = withFix(applyPlan(cluster, plan), plan, unplaced.pods, unplaced.fix);

          const { unplaced: remaining } = planProvisioning(fixed, 'decision-2');
          expect(remaining.flatMap(({ pods }) => pods)).not.toEqual(expect.arrayContaining([...unplaced.pods]));
        }
      }),
      { numRuns: 60 },
    );
  });
});

const ITS_NODE = { kind: 'Node', name: 'leaving', uid: 'leaving' };

/** The cluster with the changes, in which only the pods of the fix need nodes. */
function withFix(
  cluster: ClusterSnapshot,
  { unplaced }: ProvisioningPlan,
  pods: readonly PodKey[],
  fix: Fix,
): ClusterSnapshot {
  const keys = new Set(pods);
  const others = new Set(unplaced.flatMap((one) => one.pods.filter((key) => !keys.has(key))));
  const [changes, waits] = [listChanges(fix).filter(({ kind }) => kind !== 'wait'), fix.kind === 'wait'];
  const namespace = pods[0]?.split('/')[0] ?? '';
  const changed = changes.reduce<ClusterSnapshot>((one, change) => applyFix(one, change, namespace) ?? one, cluster);
  return {
    ...changed,
    unavailable: cluster.unavailable.filter(({ until }) => !waits || formatInstant(until) > fix.to),
    pods: changed.pods.flatMap((pod) => {
      if (!others.has(podKey(pod))) return [pod];
      // Owned by a Node, the pod is static: it still counts, but gets no new node.
      return pod.nodeName === undefined ? [] : [{ ...pod, owner: ITS_NODE }];
    }),
  };
}
