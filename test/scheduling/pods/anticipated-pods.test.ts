import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { ProvisioningPlan } from '../../../shared/model/plans.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import type { PodOwner, QuotaRoom } from '../../../shared/model/pods/workload.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { listAnticipatedPods } from '../../../shared/scheduling/pods/anticipated-pods.ts';
import { aPod, aPodSpec, NOON, resources } from '../../support/builders.ts';
import { aCluster, aPool, createStepTypes } from '../support/fixture.ts';

const NOW = NOON + SECOND_MS;

const anOwner = (over: Partial<PodOwner> = {}): PodOwner => ({
  kind: 'ReplicaSet',
  namespace: 'default',
  name: 'web',
  uid: 'rs-web',
  desiredPods: 10,
  creates: 'at-once',
  isFailing: false,
  ...over,
});

/** Existing pods of `web`; none is placed. */
const webPods = (count: number, over: Partial<Pod> = {}): Pod[] =>
  Array.from({ length: count }, (_, index) =>
    aPod({
      name: `web-${index}`,
      owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
      ...over,
    }),
  );

/** Two pods of ten that their owner wants. */
const scalingUp = (over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  aCluster({
    types: createStepTypes(16),
    takenAt: NOW,
    pods: webPods(2),
    owners: [anOwner()],
    ...over,
  });

const quota = (free: QuotaRoom['free'], over: Partial<QuotaRoom> = {}): QuotaRoom => ({
  namespace: 'default',
  name: 'quota',
  free,
  isPartlyKnown: false,
  ...over,
});

describe('anticipated pods', () => {
  it.each<readonly [string, number, Partial<ClusterSnapshot>]>([
    ['what the owner lacks', 8, {}],
    ['none, where it has them all', 0, { owners: [anOwner({ desiredPods: 2 })] }],
    ['none, where it has too many', 0, { owners: [anOwner({ desiredPods: 1 })] }],
    ['none of an owner that nobody could read', 0, { owners: [] }],
    ['none of one that fails', 0, { owners: [anOwner({ isFailing: true })] }],
    ['none of one that makes each when the last is ready', 0, oneByOne()],
    ['none of one without a pod to go by', 0, { pods: [] }],
    ['no more than a quota of pods lets in', 3, { quotas: [quota({ pods: 3 })] }],
    ['no more than a quota of CPU lets in', 2, { quotas: [quota({ cpu: 2_500 })] }],
    ['no more than the tightest lets in', 1, { quotas: [quota({ pods: 5 }), quota({ pods: 1 })] }],
    ['none under a quota that is used up', 0, { quotas: [quota({ pods: -1 })] }],
    ['none under one that bounds what is not known', 0, { quotas: [quota({}, partly)] }],
    ['all, under a quota elsewhere', 8, { quotas: [quota({ pods: 0 }, { namespace: 'other' })] }],
    ['all, under a quota of what they do not ask for', 8, { quotas: [quota({ 'x.y/gpu': 0 })] }],
  ])('are %s', (_, count, over) => {
    expect(listAnticipatedPods(scalingUp(over))).toHaveLength(count);
  });

  it('share what one quota leaves', () => {
    const api = aPod({ name: 'api-1', owner: { kind: 'ReplicaSet', name: 'api', uid: 'rs-api' } });
    const snapshot = scalingUp({
      pods: [...webPods(2), api],
      owners: [anOwner(), anOwner({ name: 'api', uid: 'rs-api' })],
      quotas: [quota({ pods: 10 })],
    });

    expect(listAnticipatedPods(snapshot)).toHaveLength(10);
  });

  it('are limited to ten thousand, so that a mistyped replica count does not stop planning', () => {
    const api = aPod({ name: 'api-1', owner: { kind: 'ReplicaSet', name: 'api', uid: 'rs-api' } });
    const snapshot = scalingUp({
      pods: [...webPods(2), api],
      owners: [anOwner({ name: 'api', uid: 'rs-api', desiredPods: 11 }), anOwner({ desiredPods: 2_147_483_647 })],
    });

    const pods = listAnticipatedPods(snapshot);

    expect(pods).toHaveLength(10_000);
    expect(pods.filter(({ owner }) => owner?.uid === 'rs-api')).toHaveLength(10);
  });

  it('end one minute after the owner created its last pod', () => {
    const later = (ms: number) => listAnticipatedPods(scalingUp({ takenAt: NOON + ms })).length;

    // A creation time is truncated to the second.
    expect(later(MINUTE_MS + SECOND_MS)).toBe(8);
    expect(later(MINUTE_MS + SECOND_MS + 1)).toBe(0);
  });

  it('are counted without finished and terminating pods', () => {
    const pods = [...webPods(1, { phase: 'Failed' }), ...webPods(1, { deletionAt: NOW }), ...webPods(2)];

    expect(listAnticipatedPods(scalingUp({ pods }))).toHaveLength(8);
  });

  it('equal the existing pods and come after them', () => {
    const [first] = listAnticipatedPods(scalingUp());
    const [example] = webPods(1);

    expect(first).toMatchObject({ spec: example?.spec, labels: example?.labels });
    expect(first?.createdAt).toBeGreaterThan(NOON);
  });

  it('include existing pods that kube-scheduler has not tried yet if their equals are unschedulable', () => {
    const { unschedulableSince: _, ...young } = aPod();
    const unjudged = {
      ...young,
      name: 'web-9',
      owner: { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' },
    };

    const names = (pods: readonly Pod[]) => listAnticipatedPods(scalingUp({ pods })).map(({ name }) => name);
    expect(names([...webPods(2), unjudged])).toContain('web-9');
    expect(names([unjudged])).not.toContain('web-9');
  });
});

const everyPod = ({ claims, placements }: ProvisioningPlan) =>
  [...claims, ...placements].flatMap(({ pods, anticipated = [] }) => [...pods, ...anticipated]);

describe('a plan with anticipated pods', () => {
  it('has capacity for all pods of a scale-up and lists those that do not exist yet', () => {
    const plan = planProvisioning(scalingUp(), 'p-1');

    expect(everyPod(plan)).toHaveLength(10);
    expect(plan.claims.flatMap(({ pods }) => pods).toSorted()).toEqual(webPods(2).map(podKey));
    expect(plan.claims.flatMap(({ anticipated = [] }) => anticipated)).toHaveLength(8);
  });

  it('equals the plan of the whole scale-up', () => {
    const whole = planProvisioning(scalingUp({ pods: webPods(10) }), 'p-1');
    const ahead = planProvisioning(scalingUp(), 'p-1');

    expect(ahead.hourlyUsd).toBe(whole.hourlyUsd);
    expect(ahead.claims.map(({ claim }) => claim.instanceTypes)).toEqual(
      whole.claims.map(({ claim }) => claim.instanceTypes),
    );
  });

  it('launches nothing more when the pods appear', () => {
    const before = scalingUp();
    const { claims } = planProvisioning(before, 'p-1');
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 10 }), (count) => {
        const after = { ...before, pods: webPods(count), claims: claims.map(({ claim }) => claim) };
        const plan = planProvisioning(after, 'p-2');

        expect(plan.claims).toEqual([]);
        expect(everyPod(plan)).toHaveLength(10);
      }),
    );
  });

  it('ignores anticipated pods if told so', () => {
    const plan = planProvisioning(scalingUp(), 'p-1', { anticipate: false });

    expect(everyPod(plan)).toHaveLength(2);
  });

  it('does not report anticipated pods as unplaced', () => {
    const spec = aPodSpec({ nodeSelector: { disk: 'ssd' } });
    const plan = planProvisioning(scalingUp({ pods: webPods(2, { spec }) }), 'p-1');

    expect(plan.unplaced.map(({ pods }) => pods)).toEqual([webPods(2).map(podKey)]);
  });

  it('never takes capacity from an existing pod', () => {
    const other = aPod({
      name: 'other',
      createdAt: NOON + 1,
      spec: aPodSpec({ requests: resources(1.5, 1, { pods: 1 }) }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), (cpus) => {
        const snapshot = scalingUp({
          pods: [...webPods(2), other],
          pools: [aPool({ limits: { cpu: cpus * 1000 } })],
        });
        const unplaced = (anticipate: boolean) =>
          planProvisioning(snapshot, 'p-1', { anticipate }).unplaced.flatMap(({ pods }) => pods);

        expect(unplaced(true).length).toBeLessThanOrEqual(unplaced(false).length);
      }),
    );
  });
});

const partly = { isPartlyKnown: true };

function oneByOne(): Partial<ClusterSnapshot> {
  return { owners: [anOwner({ kind: 'StatefulSet', creates: 'one-by-one' })] };
}
