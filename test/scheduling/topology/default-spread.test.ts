import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Labels } from '../../../shared/model/labels.ts';
import type { OwnerReference, Pod, TopologySpreadConstraint } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../../shared/model/settings.ts';
import { aPod, aSelector } from '../../support/builders.ts';
import {
  aCluster,
  aPoolInZones,
  createPods,
  FILLING_A_NODE,
  HOSTNAME,
  spreadOver,
  Z1,
  Z2,
  ZONE,
} from '../support/fixture.ts';
import { countPodsPerDomain, provision } from '../support/provision.ts';

const replicaSet = (name: string): OwnerReference => ({
  kind: 'ReplicaSet',
  name,
  uid: `rs-${name}`,
});

/** `count` pods of one owner, with the labels of its template. */
const owned = (
  count: number,
  owner: OwnerReference,
  { labels = { app: owner.name }, ...over }: Partial<Pod> = {},
): Pod[] => createPods(count, owner.name, {}, labels).map((pod) => ({ ...pod, ...over, owner, labels }));

function constraint(key: string, over: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint {
  const { selector: _, ...rest } = spreadOver(key, over);
  return rest;
}

const spreadBy = (defaultSpread: readonly TopologySpreadConstraint[]): DecisionSettings => ({
  ...DEFAULT_SETTINGS,
  defaultSpread,
});

/** A cluster whose kube-scheduler has default spread constraints. */
const spreading = (
  constraints: readonly TopologySpreadConstraint[],
  over: Partial<ClusterSnapshot> = {},
): ClusterSnapshot => aCluster({ settings: spreadBy(constraints), ...over });

const zonal = [constraint(ZONE)];
const of = (app: string) => aSelector({ app });

describe("the cluster's default spread", () => {
  it('spreads the pods of a ReplicaSet over zones', () => {
    const outcome = provision(spreading(zonal), ...owned(4, replicaSet('a')));

    expect(countPodsPerDomain(outcome, ZONE, of('a'))).toEqual([1, 1, 2]);
  });

  it('spreads the pods of a ReplicaSet over hosts', () => {
    const outcome = provision(spreading([constraint(HOSTNAME)]), ...owned(3, replicaSet('a')));

    expect(countPodsPerDomain(outcome, HOSTNAME, of('a'))).toEqual([1, 1, 1]);
  });

  it('does not apply to pods with constraints of their own', () => {
    const own = aPod().spec;
    const spec = { ...own, topologySpread: [spreadOver(HOSTNAME, { selector: of('a') })] };
    const cluster = spreading(zonal, { pools: [aPoolInZones(Z1)] });

    expect(provision(cluster, ...owned(3, replicaSet('a'), { spec })).pending).toEqual([]);
  });

  it('leaves pods pending while there are fewer zones than minDomains', () => {
    const cluster = spreading([constraint(ZONE, { minDomains: 3 })], {
      pools: [aPoolInZones(Z1, Z2)],
    });
    const outcome = provision(cluster, ...owned(3, replicaSet('a')));

    expect(countPodsPerDomain(outcome, ZONE, of('a'))).toEqual([1, 1]);
  });

  it.each([
    ['DoNotSchedule', [1]],
    ['ScheduleAnyway', [3]],
  ] as const)('handles one of three zones under %s', (whenUnsatisfiable, counts) => {
    const only = constraint(ZONE, { minDomains: 3, whenUnsatisfiable });
    const cluster = spreading([only], { pools: [aPoolInZones(Z1)] });
    const outcome = provision(cluster, ...owned(3, replicaSet('a')));

    expect(countPodsPerDomain(outcome, ZONE, of('a'))).toEqual(counts);
  });

  const job: OwnerReference = { kind: 'Job', name: 'a', uid: 'job-a' };
  it.each<[string, ClusterSnapshot, Pod[]]>([
    ['nothing is configured', spreading([]), owned(3, replicaSet('a'))],
    ['pods have no owner and no Service', spreading(zonal), createPods(3, 'a', {}, { app: 'a' })],
    ['a Job has no Service', spreading(zonal), owned(3, job)],
    [
      'the Service is of another namespace',
      spreading(zonal, {
        services: [{ namespace: 'other', name: 'a', selector: { app: 'a' } }],
      }),
      owned(3, job),
    ],
  ])('spreads nothing where %s', (_, cluster, pods) => {
    expect(countPodsPerDomain(provision(cluster, ...pods), ZONE, of('a'))).toEqual([3]);
  });

  it('counts running pods', () => {
    const spec = { ...aPod().spec, ...FILLING_A_NODE };
    const { after } = provision(aCluster({ pools: [aPoolInZones(Z1)] }), ...owned(2, replicaSet('a'), { spec }));
    const wider = { ...after, pools: [aPoolInZones(Z1, Z2)], settings: spreadBy(zonal) };
    const more = owned(4, replicaSet('a'), { spec }).slice(2);

    expect(countPodsPerDomain(provision(wider, ...more), ZONE, of('a'))).toEqual([2, 2]);
  });

  it('spreads each ReplicaSet separately, so also two revisions of a Deployment', () => {
    const revision = (hash: string): Labels => ({ app: 'a', 'pod-template-hash': hash });
    const first = owned(3, replicaSet('a-1'), { labels: revision('1') });
    const second = owned(3, replicaSet('a-2'), { labels: revision('2') });
    const outcome = provision(spreading(zonal), ...first, ...second);

    for (const hash of ['1', '2']) {
      expect(countPodsPerDomain(outcome, ZONE, aSelector(revision(hash)))).toEqual([1, 1, 1]);
    }
  });

  it('spreads the pods of a Job together with those of its Service', () => {
    const services = [{ namespace: 'default', name: 'a', selector: { app: 'a' } }];
    const outcome = provision(spreading(zonal, { services }), ...owned(4, job));

    expect(countPodsPerDomain(outcome, ZONE, of('a'))).toEqual([1, 1, 2]);
  });

  it('ignores the labels that a StatefulSet adds to each pod', () => {
    const pods = owned(3, { kind: 'StatefulSet', name: 'a', uid: 'sts-a' }).map((pod, index) => ({
      ...pod,
      labels: { ...pod.labels, 'apps.kubernetes.io/pod-index': `${index}` },
    }));

    expect(countPodsPerDomain(provision(spreading(zonal), ...pods), ZONE, of('a'))).toEqual([1, 1, 1]);
  });
});
