import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observeOwners, readQuotaRoom } from '../../../shared/kubernetes/readers/observe-owners.ts';
import { readPodOwner } from '../../../shared/kubernetes/readers/read-pod-owner.ts';
import type { OwnerReference, Pod } from '../../../shared/model/pods/pod.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { aPod, aRunningPod, NOON } from '../../support/builders.ts';
import { MISSING_RIGHT } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveQuota, aLiveReplicaSet, COLLECTIONS } from '../support/live-objects.ts';

const WEB: OwnerReference = { kind: 'ReplicaSet', name: 'web', uid: 'rs-web' };
const pending = aPod({ owner: WEB });

let double: ApiDouble;
beforeEach(async () => {
  double = await startApiDouble();
  double.put(COLLECTIONS.replicaSets, aLiveReplicaSet());
});
afterEach(async () => double.close());

const observed = (...pods: readonly Pod[]) => observeOwners(connect(double).api, pods, NOON);
const requestPaths = (): string[] => double.requests.map(({ path }) => path);

describe('owners of pods', () => {
  it('are read for pending pods, with the quotas of their namespace', async () => {
    double.put(COLLECTIONS.quotas, aLiveQuota({ status: { hard: { pods: '5' } } }));

    expect(await observed(pending)).toEqual({
      owners: [
        {
          kind: 'ReplicaSet',
          namespace: 'default',
          name: 'web',
          uid: 'rs-web',
          desiredPods: 3,
          creates: 'at-once',
          isFailing: false,
        },
      ],
      quotas: [{ namespace: 'default', name: 'quota', free: { pods: 5 }, isPartlyKnown: false }],
    });
  });

  it('are read without quotas once they have all their pods', async () => {
    await observed(...['a', 'b', 'c'].map((name) => aPod({ name, owner: WEB })));

    expect(requestPaths()).toEqual(['/apis/apps/v1/namespaces/default/replicasets/web']);
  });

  it('are read for many pods of the last minute, though these are bound', async () => {
    const bound = (count: number, createdAt: number) =>
      Array.from({ length: count }, (_, index) =>
        aRunningPod('node-1', { name: `web-${index}`, owner: WEB, createdAt }),
      );

    expect((await observed(...bound(5, NOON - MINUTE_MS))).owners).toHaveLength(1);
    expect((await observed(...bound(4, NOON - MINUTE_MS))).owners).toBeUndefined();
    expect((await observed(...bound(5, NOON - MINUTE_MS - 1))).owners).toBeUndefined();
  });

  it('cost no request if pods have none or one of an unknown kind', async () => {
    const others = ['DaemonSet', 'Workflow'].map((kind) => aPod({ name: kind, owner: { kind, name: 'x', uid: kind } }));

    expect(await observed(aPod(), ...others)).toEqual({});
    expect(requestPaths()).toEqual([]);
  });

  it('are at most thirty, those with the most pending pods first', async () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      aPod({ name: `p${index}`, owner: { ...WEB, name: `x${index}`, uid: `x${index}` } }),
    );
    await observed(...many, pending, aPod({ name: 'web-2', owner: WEB }));

    expect(requestPaths().filter((path) => path.includes('replicasets'))).toHaveLength(30);
    expect(requestPaths()).toContain('/apis/apps/v1/namespaces/default/replicasets/web');
  });

  it.each([
    ['are gone', () => double.table.remove(COLLECTIONS.replicaSets, 'default/web')],
    [
      'are newer objects of the same name',
      () => double.put(COLLECTIONS.replicaSets, aLiveReplicaSet({ metadata: { uid: 'new' } })),
    ],
    ['are forbidden to read', () => double.fail('/web', MISSING_RIGHT)],
  ])('are left out where they %s', async (_, happens) => {
    happens();

    expect((await observed(pending)).owners).toBeUndefined();
  });

  it('are assumed to be blocked if quotas cannot be read', async () => {
    double.fail('/resourcequotas', MISSING_RIGHT);

    expect((await observed(pending)).quotas).toMatchObject([{ isPartlyKnown: true }]);
  });
});

const metadata = { namespace: 'default', name: 'web', uid: 'u' };
const isTrue = (type: string) => ({ conditions: [{ type, status: 'True' }] });

describe('the number of pods that an owner creates', () => {
  it.each([
    ['its replicas', { spec: { replicas: 7 } }, 7],
    ['one by default', {}, 1],
    ['none while it is being deleted', { deletedAt: '2026-01-01T12:00:00Z' }, 0],
  ])('is read from a ReplicaSet: %s', (_, { deletedAt, ...object }: Live, desiredPods) => {
    const live = { metadata: { ...metadata, deletionTimestamp: deletedAt }, ...object };

    expect(readPodOwner('ReplicaSet', live)).toMatchObject({ desiredPods });
  });

  it.each([
    ['its parallelism', { spec: { parallelism: 5, completions: 100 } }, 5],
    ['its remaining completions', { spec: { parallelism: 5, completions: 6 }, status: { succeeded: 4 } }, 2],
    ['its parallelism, for a work queue', { spec: { parallelism: 5 } }, 5],
    [
      'its active pods, for a work queue with a success',
      { spec: { parallelism: 5 }, status: { succeeded: 1, active: 2 } },
      2,
    ],
    ['none while suspended', { spec: { parallelism: 5, suspend: true } }, 0],
    ['none when complete', { spec: { parallelism: 5 }, status: isTrue('Complete') }, 0],
    ['without the pods that are terminating', { spec: { parallelism: 5 }, status: { terminating: 2 } }, 3],
  ])('is read from a Job: %s', (_, live: Live, desiredPods) => {
    expect(readPodOwner('Job', { metadata, ...live })).toMatchObject({ desiredPods });
  });

  it.each([
    ['ReplicaSet', isTrue('ReplicaFailure')],
    ['Job', { failed: 1 }],
  ] as const)('is marked as failing for a failing %s', (kind, status) => {
    expect(readPodOwner(kind, { metadata, status })).toMatchObject({ isFailing: true });
  });

  it('comes one by one for a StatefulSet unless it is parallel', () => {
    const creates = (spec: object) => readPodOwner('StatefulSet', { metadata, spec })?.creates;

    expect(creates({})).toBe('one-by-one');
    expect(creates({ podManagementPolicy: 'Parallel' })).toBe('at-once');
  });

  it('is unknown for a Job of an external controller', () => {
    expect(readPodOwner('Job', { metadata, spec: { managedBy: 'queue/x' } })).toBeUndefined();
  });
});

interface Live {
  readonly spec?: object;
  readonly status?: object;
  readonly deletedAt?: string;
}

describe('the room under a quota', () => {
  const room = (hard: object, used: object = {}) =>
    readQuotaRoom({ metadata: { namespace: 'default', name: 'q' }, status: { hard, used } });

  it('is what remains of pod requests, under all their names', () => {
    const hard = { 'requests.cpu': '4', memory: '8Gi', 'count/pods': '10', 'requests.x.y/gpu': 2 };
    const used = { 'requests.cpu': '1500m', 'count/pods': '3' };

    expect(room(hard, used)).toMatchObject({
      free: { cpu: 2500, memory: 8 * GIB, pods: 7, 'x.y/gpu': 2 },
      isPartlyKnown: false,
    });
  });

  it('ignores storage, services and secrets', () => {
    const hard = { 'requests.storage': '1Ti', services: 3, 'count/secrets': 9 };

    expect(room(hard)).toMatchObject({ free: {}, isPartlyKnown: false });
  });

  it('has no resource that only the usage names, also not one that objects inherit', () => {
    expect(room({ pods: '5' }, { pods: '1', 'requests.constructor': '1' })?.free).toEqual({
      pods: 4,
    });
  });

  it('is partly known if limits are bounded', () => {
    expect(room({ 'limits.cpu': '4' })).toMatchObject({ free: {}, isPartlyKnown: true });
  });
});
