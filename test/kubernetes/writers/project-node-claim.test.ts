import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KindNotServedError } from '../../../shared/kubernetes/client/api-errors.ts';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { leaveReservation } from '../../../shared/model/nodes/node-claim.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { aLaunch, aNodeClaim, anInitializedClaim, NOON } from '../../support/builders.ts';
import { refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNodeClaim, aLivePool, COLLECTIONS, NOON_TEXT } from '../support/live-objects.ts';
import type { RawObject } from '../support/raw-object.ts';

const { claims } = COLLECTIONS;
const at = (seconds: number): number => NOON + seconds * SECOND_MS;
const textAt = (seconds: number): string => new Date(at(seconds)).toISOString().replace('.000', '');

describe('a projection', () => {
  let double: ApiDouble;
  let cluster: Cluster;
  beforeEach(async () => {
    double = await startApiDouble();
    cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON } });
  });
  afterEach(async () => double.close());

  const stored = (): RawObject | undefined => double.table.find(claims, '/general-1');

  const asked = (): string[] =>
    double.requests.map(({ method, path, query }) => {
      const manager = query.get('fieldManager');
      return `${method} ${path.replace(claims, '')}${manager ? ` by ${manager}` : ''}`;
    });

  it('is created whole, then gets its status', async () => {
    await cluster.projectNodeClaim(aNodeClaim());

    expect(asked()).toEqual(['POST  by mortise', 'PATCH /general-1/status by mortise']);
    expect(stored()).toMatchObject({
      metadata: {
        labels: { 'karpenter.sh/nodepool': 'general' },
        finalizers: ['karpenter.sh/termination'],
      },
      spec: { expireAfter: 'Never' },
      status: { conditions: [{ type: 'Launched', status: 'Unknown' }, {}, {}, {}] },
    });
  });

  it('of what is there writes labels, annotations and status, and no spec', async () => {
    await cluster.projectNodeClaim(aNodeClaim());
    const before = stored();
    const asks = double.requests.length;

    await cluster.projectNodeClaim(anInitializedClaim('node-1'));

    expect(asked().slice(asks)).toEqual([
      'GET /general-1',
      'PATCH /general-1 by mortise',
      'PATCH /general-1/status by mortise',
    ]);
    expect(stored()?.spec).toEqual(before?.spec);
    expect(stored()).toMatchObject({
      metadata: { generation: 1, labels: { 'node.kubernetes.io/instance-type': 'm7i.large' } },
      status: { nodeName: 'node-1', providerID: 'aws:///us-east-1a/i-node-1' },
    });
  });

  it('N17: of an instance that has left its reservation, has no label of one', async () => {
    const labels = {
      'karpenter.sh/capacity-type': 'reserved',
      'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
      'karpenter.k8s.aws/capacity-reservation-type': 'default',
    };
    const launch = aLaunch({ capacityType: 'reserved', labels });
    const claim = anInitializedClaim('node-1', { launch });
    await cluster.projectNodeClaim(claim);
    expect(stored()?.metadata.labels).toMatchObject(labels);

    await cluster.projectNodeClaim(leaveReservation(claim));

    expect(stored()?.metadata.labels).toEqual({
      'karpenter.sh/capacity-type': 'on-demand',
      'karpenter.sh/nodepool': 'general',
    });
  });

  it('23.1-14: is judged anew for a new generation of the object', async () => {
    await cluster.projectNodeClaim(aNodeClaim());
    const object = stored();
    if (!object) throw new Error('not projected');
    double.put(claims, { ...object, spec: { ...object.spec, changed: true } });

    await cluster.projectNodeClaim(anInitializedClaim('node-1'));

    expect(stored()?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Launched', status: 'True', observedGeneration: 2 }),
    );
  });

  it('belongs to its pool, so that the pool takes it along', async () => {
    await cluster.projectNodeClaim(aNodeClaim({ poolUid: 'pool-1' }));

    expect(stored()?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        name: 'general',
        uid: 'pool-1',
        blockOwnerDeletion: true,
      },
    ]);
  });

  it.each([
    ['pool-1', 1],
    ['of-another-pool', 0],
  ])('shown again, belongs to a pool that is still there: %s', async (uid, owners) => {
    double.put(COLLECTIONS.pools, aLivePool({ metadata: { uid } }));

    await cluster.projectNodeClaim(anInitializedClaim('node-1', { poolUid: 'pool-1' }));

    expect(stored()?.metadata.ownerReferences ?? []).toHaveLength(owners);
  });

  it('keeps what others wrote: annotations, labels, finalizers, values of our own keys', async () => {
    const made = aLiveNodeClaim({
      metadata: {
        labels: { team: 'a', 'topology.kubernetes.io/zone': 'us-east-1c' },
        annotations: { 'karpenter.sh/do-not-disrupt': 'true', note: 'mine' },
        finalizers: ['example.com/audit'],
      },
    });
    double.put(claims, made);

    await cluster.projectNodeClaim(anInitializedClaim('node-1'));

    expect(stored()).toMatchObject({
      metadata: {
        labels: {
          team: 'a',
          'topology.kubernetes.io/zone': 'us-east-1c',
          'node.kubernetes.io/instance-type': 'm7i.large',
        },
        annotations: { 'karpenter.sh/do-not-disrupt': 'true', note: 'mine' },
        finalizers: ['example.com/audit', 'karpenter.sh/termination'],
      },
      spec: made.spec,
    });
  });

  it('is asked to go when the record goes, and is held until the instance is gone', async () => {
    await cluster.projectNodeClaim(anInitializedClaim('node-1'));

    await cluster.projectNodeClaim(anInitializedClaim('node-1', { deletingAt: NOON }));

    expect(stored()?.metadata.deletionTimestamp).toBeTypeOf('string');
    expect(stored()?.metadata.finalizers).toEqual(['karpenter.sh/termination']);
    expect(asked().filter((request) => request.startsWith('DELETE'))).toHaveLength(1);
  });

  it('gets no finalizer while it is being deleted: the API would refuse it', async () => {
    double.put(
      claims,
      aLiveNodeClaim({
        metadata: { deletionTimestamp: NOON_TEXT, finalizers: ['example.com/audit'] },
      }),
    );

    await cluster.projectNodeClaim(anInitializedClaim('node-1', { deletingAt: NOON }));

    expect(stored()?.metadata.finalizers).toEqual(['example.com/audit']);
  });

  it.each([
    [60, 60],
    [300, 120],
  ])('of two deadlines the earlier stands: %i s and 120 s', async (theirs, stands) => {
    const key = 'karpenter.sh/nodeclaim-termination-timestamp';
    double.put(claims, aLiveNodeClaim({ metadata: { annotations: { [key]: textAt(theirs) } } }));

    await cluster.projectNodeClaim(
      anInitializedClaim('node-1', { deletingAt: NOON, drainDeadline: at(120) }),
    );

    expect(stored()?.metadata.annotations).toMatchObject({ [key]: textAt(stands) });
  });

  it('is there although somebody else created it first', async () => {
    double.put(claims, aLiveNodeClaim());

    await cluster.projectNodeClaim(aNodeClaim());

    expect(stored()?.status).toBeDefined();
  });

  it('writes nothing new when nothing is new', async () => {
    await cluster.projectNodeClaim(anInitializedClaim('node-1'));
    const before = stored()?.metadata.resourceVersion;

    await cluster.projectNodeClaim(anInitializedClaim('node-1'));

    expect(stored()?.metadata.resourceVersion).toBe(before);
  });

  it('tells the deadline of a drain as kubectl users know it', async () => {
    await cluster.projectNodeClaim(aNodeClaim({ deletingAt: NOON, drainDeadline: at(120) }));

    expect(stored()?.metadata.annotations).toMatchObject({
      'karpenter.sh/nodeclaim-termination-timestamp': textAt(120),
    });
  });

  it('is harmless when the claim goes between object and status', async () => {
    double.fail('/status', refusal(404, 'NotFound', 'general-1 not found'));

    await expect(cluster.projectNodeClaim(aNodeClaim())).resolves.toBeUndefined();
  });

  it('needs the CRD, and says so', async () => {
    double.unserved.add(claims);

    await expect(cluster.projectNodeClaim(aNodeClaim())).rejects.toThrow(KindNotServedError);
  });

  it('is gone once it is removed, although our finalizer held it', async () => {
    await cluster.projectNodeClaim(aNodeClaim());

    await cluster.removeNodeClaim('general-1');

    expect(stored()).toBeUndefined();
  });

  it('leaves others their finalizers when it is removed', async () => {
    await cluster.projectNodeClaim(aNodeClaim());
    const object = stored();
    if (!object) throw new Error('not projected');
    const finalizers = ['karpenter.sh/termination', 'example.com/audit'];
    double.put(claims, { ...object, metadata: { ...object.metadata, finalizers } });

    await cluster.removeNodeClaim('general-1');

    expect(stored()?.metadata.finalizers).toEqual(['example.com/audit']);
  });

  it('is removed although somebody writes it at the same time', async () => {
    await cluster.projectNodeClaim(aNodeClaim());
    double.fail('/general-1', { status: 200, body: {} });
    double.fail('/general-1', { status: 200, body: stored() });
    double.fail('/general-1', refusal(409, 'Conflict', 'modified'));

    await cluster.removeNodeClaim('general-1');

    expect(stored()?.metadata.finalizers).toEqual([]);
  });
});
