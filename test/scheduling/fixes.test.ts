import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { NodePool } from '../../shared/model/node-pool.ts';
import type { Fix, Unplaced } from '../../shared/model/plans.ts';
import { podKey } from '../../shared/model/pod.ts';
import { toResources } from '../../shared/model/quantity.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { anyCluster } from './any-cluster.ts';
import {
  aCluster,
  aPool,
  asking,
  HOSTNAME,
  need,
  poolOf,
  several,
  TYPE,
  tiny,
  to,
  Z1,
  Z2,
  ZONE,
} from './fixture.ts';
import { provision } from './provision.ts';

const fixOf = (cluster: ClusterSnapshot, ...pods: ReturnType<typeof tiny>[]): Fix | undefined =>
  provision(cluster, ...pods).plan.unplaced[0]?.fix;

describe('the smallest change that lets a pod run', () => {
  it('raises a limit to what is needed, and says what that costs', () => {
    const cluster = aCluster({ pools: [aPool({ limits: { cpu: 1000 } })] });
    const fix = fixOf(cluster, ...several(2, 'a', { requests: asking(1.5) }));

    expect(fix).toMatchObject({
      kind: 'raise-limit',
      object: 'NodePool/default',
      path: 'spec.limits.cpu',
      from: '1',
      to: '4',
    });
    expect(fix?.hourlyUsd).toBeGreaterThan(0);
  });

  it('counts what this very plan takes of the limit', () => {
    const cluster = aCluster({ pools: [aPool({ limits: { cpu: 3000 } })] });
    const apart = { requests: asking(1.5), podAntiAffinity: [to('web', HOSTNAME)] };
    const { plan } = provision(cluster, ...several(3, 'a', apart));

    expect(plan.claims).toHaveLength(1);
    expect(plan.unplaced[0]?.pools[0]?.reasons[0]).toMatchObject({
      code: 'limit-reached',
      fields: { resource: 'cpu', used: '2', limit: '3', needed: '2' },
    });
    expect(plan.unplaced[0]?.fix).toMatchObject({ kind: 'raise-limit', from: '3', to: '6' });
  });

  it('adds a toleration, to the Deployment that the pod is of', () => {
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

  it('allows a value more in the pool', () => {
    const cluster = aCluster({ pools: [poolOf(need(TYPE, 'Exists'), need(ZONE, 'In', Z1))] });

    expect(fixOf(cluster, tiny('a', { nodeSelector: { [ZONE]: Z2 } }))).toMatchObject({
      kind: 'allow-values',
      object: 'NodePool/default',
      path: 'spec.template.spec.requirements[1].values',
      from: '[test-zone-1]',
      to: '[test-zone-1, test-zone-2]',
    });
  });

  it('names the label that was meant', () => {
    expect(fixOf(aCluster(), tiny('a', { nodeSelector: { zone: Z2 } }))).toMatchObject({
      kind: 'rename-label',
      object: 'Pod/a',
      path: 'spec.nodeSelector',
      from: 'zone',
      to: ZONE,
    });
  });

  it('is not told where no single change does', () => {
    expect(fixOf(aCluster(), tiny('a', { requests: asking(512) }))).toBeUndefined();
  });

  it('works when it is done, whatever it is', () => {
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        for (const unplaced of planProvisioning(cluster, 'decision-1').unplaced) {
          if (!unplaced.fix) continue;
          const fixed = withFix(cluster, unplaced, unplaced.fix);

          expect(planProvisioning(fixed, 'decision-2').unplaced).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** The cluster as it was, with the change made and only the pods waiting that it is for. */
function withFix(cluster: ClusterSnapshot, { pods }: Unplaced, fix: Fix): ClusterSnapshot {
  const keys = new Set(pods);
  const edited = cluster.pods.filter((pod) => pod.nodeName !== undefined || keys.has(podKey(pod)));
  const [key = '', value] = fix.to.replace(/:NoSchedule$/, '').split('=');
  return {
    ...cluster,
    pods: edited.map((pod) =>
      fix.kind === 'add-toleration' && keys.has(podKey(pod))
        ? {
            ...pod,
            spec: { ...pod.spec, tolerations: [{ key, value: value ?? '', operator: 'Equal' }] },
          }
        : pod,
    ),
    pools: cluster.pools.map((pool) =>
      fix.object === `NodePool/${pool.name}` ? withPoolFix(pool, fix) : pool,
    ),
  };
}

function withPoolFix(pool: NodePool, { kind, path, to: wanted }: Fix): NodePool {
  if (kind === 'raise-limit') {
    const resource = path.replace('spec.limits.', '');
    return { ...pool, limits: { ...pool.limits, ...toResources({ [resource]: wanted }) } };
  }
  const index = Number(/\[(\d+)\]/.exec(path)?.[1]);
  const values = wanted.replace(/[[\]]/g, '').split(', ');
  const requirements = pool.requirements.map((one, at) =>
    at === index ? { ...one, values } : one,
  );
  return { ...pool, requirements };
}
