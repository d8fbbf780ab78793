import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ApiConflictError, KindNotServedError } from '../../../shared/kubernetes/client/api-errors.ts';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { leaveReservation } from '../../../shared/model/nodes/node-claim.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { aLaunch, aNodeClaim, anInitializedClaim, NOON } from '../../support/builders.ts';
import { project } from '../../support/project.ts';
import { refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNodeClaim, aLivePool, COLLECTIONS, NOON_TEXT } from '../support/live-objects.ts';
import type { RawObject } from '../support/raw-object.ts';

const { claims } = COLLECTIONS;
const conditionsSchema = z.object({ conditions: z.array(z.object({ type: z.string() })) });
const at = (seconds: number): number => NOON + seconds * SECOND_MS;
const textAt = (seconds: number): string => new Date(at(seconds)).toISOString().replace('.000', '');

describe('the projection of a NodeClaim', () => {
  let double: ApiDouble;
  let cluster: Cluster;
  beforeEach(async () => {
    double = await startApiDouble();
    cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON } });
  });
  afterEach(async () => double.close());

  const stored = (): RawObject | undefined => double.table.find(claims, '/general-1');

  const requested = (): string[] =>
    double.requests.map(({ method, path, query }) => {
      const manager = query.get('fieldManager');
      return `${method} ${path.replace(claims, '')}${manager ? ` by ${manager}` : ''}`;
    });

  it('creates the object, then writes its status', async () => {
    await project(cluster, aNodeClaim());

    expect(requested()).toEqual(['POST  by mortise', 'PATCH /general-1/status by mortise']);
    expect(stored()).toMatchObject({
      metadata: {
        labels: { 'karpenter.sh/nodepool': 'general' },
        finalizers: ['karpenter.sh/termination'],
      },
      spec: { expireAfter: 'Never' },
      status: { conditions: [{ type: 'Launched', status: 'Unknown' }, {}, {}, {}] },
    });
  });

  it('writes labels, annotations and status of an existing object, but no spec', async () => {
    await project(cluster, aNodeClaim());
    const before = stored();
    const asks = double.requests.length;

    await project(cluster, anInitializedClaim('node-1'));

    expect(requested().slice(asks)).toEqual([
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

  it('shows the latest record, although an earlier one is written last', async () => {
    const initialized = anInitializedClaim('node-1');
    const drift = { reason: 'NodePoolDrifted', text: 'its template', since: at(60) } as const;
    const drifted = { ...initialized, drift };
    await project(cluster, initialized);
    const records = [initialized];
    let isOvertaken = false;

    await cluster.projectNodeClaim(initialized, async () => {
      const read = records.at(-1);
      if (!isOvertaken) {
        isOvertaken = true;
        records.push(drifted);
        await cluster.projectNodeClaim(drifted, async () => records.at(-1));
      }
      return read;
    });

    const { conditions } = conditionsSchema.parse(stored()?.status);
    expect(conditions.map(({ type }) => type)).toContain('Drifted');
  });

  it('does not bring back the object of a claim that ended meanwhile', async () => {
    const ended = aNodeClaim({ deletingAt: NOON, terminatedAt: NOON });
    await cluster.projectNodeClaim(aNodeClaim(), async () => ended);

    expect(stored()).toBeUndefined();
  });

  it('names a conflict with another writer as such, after several tries', async () => {
    double.fail('/general-1/status', refusal(409, 'Conflict', 'the object has been modified'), 6);

    const result = project(cluster, aNodeClaim());
    await expect(result).rejects.toThrow(ApiConflictError);
    await expect(result).rejects.not.toThrow('does not answer');
    await project(cluster, aNodeClaim());
    expect(stored()).toHaveProperty('status');
  });

  it('shows what a claim without a record waits for, unless its user has deleted it', async () => {
    const waitsFor = {
      condition: 'Launched',
      status: 'Unknown',
      reason: 'NodeClassNotFound',
      message: 'there is no EC2NodeClass default',
      since: NOON,
    } as const;
    await cluster.showWait(aNodeClaim({ waitsFor }));
    expect(stored()).toBeUndefined();

    await project(cluster, aNodeClaim());
    const uid = String(stored()?.metadata?.uid);
    await cluster.showWait(aNodeClaim({ waitsFor, uid: 'of-an-earlier-object' }));
    expect(stored()).toMatchObject({ status: { conditions: [{ status: 'Unknown' }, {}, {}, {}] } });
    await cluster.showWait(aNodeClaim({ waitsFor, uid }));
    expect(stored()).toMatchObject({
      status: { conditions: [{ type: 'Launched', reason: 'NodeClassNotFound' }, {}, {}, {}] },
    });
  });

  it('removes the reservation label of an instance that has left its reservation', async () => {
    const labels = {
      'karpenter.sh/capacity-type': 'reserved',
      'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
      'karpenter.k8s.aws/capacity-reservation-type': 'default',
    };
    const launch = aLaunch({ capacityType: 'reserved', labels });
    const claim = anInitializedClaim('node-1', { launch, labels });
    await project(cluster, claim);
    expect(stored()?.metadata.labels).toMatchObject(labels);

    await project(cluster, leaveReservation(claim));

    expect(stored()?.metadata.labels).toEqual({
      'karpenter.sh/capacity-type': 'on-demand',
      'karpenter.sh/nodepool': 'general',
    });
  });

  it('updates the observed generation of conditions', async () => {
    await project(cluster, aNodeClaim());
    const object = stored();
    if (!object) throw new Error('not projected');
    double.put(claims, { ...object, spec: { ...object.spec, changed: true } });

    await project(cluster, anInitializedClaim('node-1'));

    expect(stored()?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Launched', status: 'True', observedGeneration: 2 }),
    );
  });

  it('sets the pool as owner, so that deleting the pool deletes the claim', async () => {
    await project(cluster, aNodeClaim({ poolUid: 'pool-1' }));

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
  ])('sets an existing pool as owner when it creates the object again: %s', async (uid, owners) => {
    double.put(COLLECTIONS.pools, aLivePool({ metadata: { uid } }));

    await project(cluster, anInitializedClaim('node-1', { poolUid: 'pool-1' }));

    expect(stored()?.metadata.ownerReferences ?? []).toHaveLength(owners);
  });

  it('keeps annotations, labels, finalizers and values of other writers', async () => {
    const made = aLiveNodeClaim({
      metadata: {
        labels: { team: 'a', 'topology.kubernetes.io/zone': 'us-east-1c' },
        annotations: { 'karpenter.sh/do-not-disrupt': 'true', note: 'mine' },
        finalizers: ['example.com/audit'],
      },
    });
    double.put(claims, made);

    await project(cluster, anInitializedClaim('node-1'));

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

  it('deletes the object with the record and holds it until the instance is gone', async () => {
    await project(cluster, anInitializedClaim('node-1'));

    await project(cluster, anInitializedClaim('node-1', { deletingAt: NOON }));

    expect(stored()?.metadata.deletionTimestamp).toBeTypeOf('string');
    expect(stored()?.metadata.finalizers).toEqual(['karpenter.sh/termination']);
    expect(requested().filter((request) => request.startsWith('DELETE'))).toHaveLength(1);
  });

  it('adds no finalizer to an object that is being deleted, because the API would refuse it', async () => {
    double.put(
      claims,
      aLiveNodeClaim({
        metadata: { deletionTimestamp: NOON_TEXT, finalizers: ['example.com/audit'] },
      }),
    );

    await project(cluster, anInitializedClaim('node-1', { deletingAt: NOON }));

    expect(stored()?.metadata.finalizers).toEqual(['example.com/audit']);
  });

  it.each([
    [60, 60],
    [300, 120],
  ])('keeps the earlier of two deadlines: %i s and 120 s', async (theirs, stands) => {
    const key = 'karpenter.sh/nodeclaim-termination-timestamp';
    double.put(claims, aLiveNodeClaim({ metadata: { annotations: { [key]: textAt(theirs) } } }));

    await project(cluster, anInitializedClaim('node-1', { deletingAt: NOON, drainDeadline: at(120) }));

    expect(stored()?.metadata.annotations).toMatchObject({ [key]: textAt(stands) });
  });

  it('accepts an object that another writer created first', async () => {
    double.put(claims, aLiveNodeClaim());

    await project(cluster, aNodeClaim());

    expect(stored()?.status).toBeDefined();
  });

  it('writes nothing if nothing changed', async () => {
    await project(cluster, anInitializedClaim('node-1'));
    const before = stored()?.metadata.resourceVersion;

    await project(cluster, anInitializedClaim('node-1'));

    expect(stored()?.metadata.resourceVersion).toBe(before);
  });

  it("writes the drain deadline as Karpenter's annotation", async () => {
    await project(cluster, aNodeClaim({ deletingAt: NOON, drainDeadline: at(120) }));

    expect(stored()?.metadata.annotations).toMatchObject({
      'karpenter.sh/nodeclaim-termination-timestamp': textAt(120),
    });
  });

  it('does not fail if the object is deleted between metadata and status', async () => {
    double.fail('/status', refusal(404, 'NotFound', 'general-1 not found'));

    await expect(project(cluster, aNodeClaim())).resolves.toBeUndefined();
  });

  it('names the missing CRD', async () => {
    double.unserved.add(claims);

    await expect(project(cluster, aNodeClaim())).rejects.toThrow(KindNotServedError);
  });

  it('removes the object although our finalizer held it', async () => {
    await project(cluster, aNodeClaim());

    await cluster.removeNodeClaim('general-1');

    expect(stored()).toBeUndefined();
  });

  it('keeps finalizers of other writers when it removes the object', async () => {
    await project(cluster, aNodeClaim());
    const object = stored();
    if (!object) throw new Error('not projected');
    const finalizers = ['karpenter.sh/termination', 'example.com/audit'];
    double.put(claims, { ...object, metadata: { ...object.metadata, finalizers } });

    await cluster.removeNodeClaim('general-1');

    expect(stored()?.metadata.finalizers).toEqual(['example.com/audit']);
  });

  it('removes the object although another writer changes it at the same time', async () => {
    await project(cluster, aNodeClaim());
    double.fail('/general-1', { status: 200, body: {} });
    double.fail('/general-1', { status: 200, body: stored() });
    double.fail('/general-1', refusal(409, 'Conflict', 'modified'));

    await cluster.removeNodeClaim('general-1');

    expect(stored()?.metadata.finalizers).toEqual([]);
  });
});
