import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admit } from '../../shared/api/admission/admit.ts';
import { NODE_CLAIM } from '../../shared/api/objects/node-claim.ts';
import { KindNotServedError } from '../../shared/kubernetes/api-errors.ts';
import { kubernetesCluster } from '../../shared/kubernetes/kubernetes-cluster.ts';
import { type Condition, conditionsOf } from '../../shared/kubernetes/node-claim-conditions.ts';
import { nodeClaimManifest } from '../../shared/kubernetes/node-claim-manifest.ts';
import { type ClaimWait, type NodeClaim, outOfReservation } from '../../shared/model/node-claim.ts';
import { HOUR_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import { aLaunch, aNodeClaim, anInitializedClaim, NOON } from '../support/builders.ts';
import { refusal } from './support/answers.ts';
import { type ApiDouble, startApiDouble } from './support/api-double.ts';
import { connect } from './support/connect.ts';
import { aLiveNodeClaim, aLivePool, COLLECTIONS, NOON_TEXT } from './support/live-objects.ts';
import type { RawObject } from './support/raw-object.ts';

const { claims } = COLLECTIONS;
const at = (seconds: number): number => NOON + seconds * SECOND_MS;
const textAt = (seconds: number): string => new Date(at(seconds)).toISOString().replace('.000', '');

describe('the conditions of a NodeClaim', () => {
  const brief = (claim: NodeClaim): string[] =>
    conditionsOf(claim, 1).map(
      ({ type, status, reason, lastTransitionTime }) =>
        `${type} ${status} ${reason} ${lastTransitionTime}`,
    );
  const launched = { launch: aLaunch({ at: at(5) }) };
  const initialized = { ...launched, registeredAt: at(40), initializedAt: at(50) };
  const waiting = (type: string, reason = 'AwaitingReconciliation'): string =>
    `${type} Unknown ${reason} ${textAt(0)}`;
  const reached = (type: string, seconds: number): string =>
    `${type} True ${type} ${textAt(seconds)}`;

  it.each<[string, Partial<NodeClaim>, string[]]>([
    [
      'asked for',
      {},
      [
        waiting('Launched'),
        waiting('Registered'),
        waiting('Initialized'),
        waiting('Ready', 'ReconcilingDependents'),
      ],
    ],
    [
      'launched',
      launched,
      [
        reached('Launched', 5),
        waiting('Registered', 'NodeNotFound'),
        waiting('Initialized'),
        waiting('Ready', 'ReconcilingDependents'),
      ],
    ],
    [
      'initialized',
      initialized,
      [
        reached('Launched', 5),
        reached('Registered', 40),
        reached('Initialized', 50),
        reached('Ready', 50),
        reached('ConsistentStateFound', 50),
      ],
    ],
    [
      'draining',
      { ...initialized, deletingAt: at(60), drainingAt: at(61), removal: 'Empty' },
      [
        reached('Launched', 5),
        reached('Registered', 40),
        reached('Initialized', 50),
        reached('Ready', 50),
        `DisruptionReason True Empty ${textAt(60)}`,
        `Drained Unknown Draining ${textAt(61)}`,
      ],
    ],
    [
      'terminating, interrupted',
      {
        ...initialized,
        deletingAt: at(60),
        drainingAt: at(61),
        drainedAt: at(70),
        terminatingAt: at(71),
        removal: 'Interrupted',
      },
      [
        reached('Launched', 5),
        reached('Registered', 40),
        reached('Initialized', 50),
        reached('Ready', 50),
        reached('Drained', 70),
        reached('InstanceTerminating', 71),
      ],
    ],
  ])('follow from the record alone: %s', (_, progress, expected) => {
    expect(brief(aNodeClaim(progress))).toEqual(expected);
  });

  const wait = (over: Partial<ClaimWait>): ClaimWait => ({
    condition: 'Initialized',
    status: 'Unknown',
    reason: 'NodeNotReady',
    message: 'waits for the kubelet to be Ready',
    since: at(45),
    ...over,
  });

  it.each<[string, Partial<NodeClaim>, Partial<Condition>[]]>([
    [
      '23.3-34: not Ready yet',
      { ...launched, registeredAt: at(40), waitsFor: wait({}) },
      [
        { type: 'Initialized', status: 'Unknown', reason: 'NodeNotReady' },
        { type: 'Ready', status: 'Unknown', reason: 'ReconcilingDependents' },
      ],
    ],
    [
      '23.2-20: doubled',
      {
        ...launched,
        waitsFor: wait({ condition: 'Registered', status: 'False', reason: 'MultipleNodesFound' }),
      },
      [
        {
          type: 'Registered',
          status: 'False',
          reason: 'MultipleNodesFound',
          lastTransitionTime: textAt(45),
        },
        {
          type: 'Ready',
          status: 'False',
          reason: 'UnhealthyDependents',
          message: 'Registered=False, Initialized=Unknown',
          lastTransitionTime: textAt(45),
        },
      ],
    ],
    [
      '23.1-9: refused by EC2',
      { waitsFor: wait({ condition: 'Launched', reason: 'Unauthorized', message: 'denied' }) },
      [{ type: 'Launched', status: 'Unknown', reason: 'Unauthorized', message: 'denied' }],
    ],
    [
      '23.10-119: half of the memory',
      { ...initialized, shortfall: { text: 'found 64Gi', since: at(60) } },
      [
        {
          type: 'ConsistentStateFound',
          status: 'False',
          reason: 'ConsistencyCheckFailed',
          message: 'found 64Gi',
          lastTransitionTime: textAt(60),
        },
        { type: 'Ready', status: 'True' },
      ],
    ],
    [
      '23.7-99: volumes attached',
      {
        ...initialized,
        deletingAt: at(60),
        drainedAt: at(70),
        waitsFor: wait({ condition: 'VolumesDetached', reason: 'AwaitingVolumeDetachment' }),
      },
      [
        {
          type: 'VolumesDetached',
          status: 'Unknown',
          reason: 'AwaitingVolumeDetachment',
          lastTransitionTime: textAt(45),
        },
      ],
    ],
  ])('name what a claim waits for: %s', (_, progress, expected) => {
    const conditions = conditionsOf(aNodeClaim(progress), 1);

    for (const condition of expected) {
      expect(conditions).toContainEqual(expect.objectContaining(condition));
    }
  });

  it('name what Ready waits for', () => {
    const ready = conditionsOf(aNodeClaim(launched), 3).find(({ type }) => type === 'Ready');

    expect(ready).toMatchObject({
      message: 'Registered=Unknown, Initialized=Unknown',
      observedGeneration: 3,
    });
  });
});

describe('the manifest of a NodeClaim', () => {
  it('is one that the API accepts', () => {
    const claim = anInitializedClaim('node-1', {
      requirements: [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'karpenter.sh/nodepool', operator: 'In', values: ['general'] },
        { key: 'kubernetes.io/hostname', operator: 'In', values: ['general-1'] },
        { key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 },
      ],
      instanceTypes: ['m7i.large', 'm7i.xlarge'],
      taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }],
      expireAfterMs: 720 * HOUR_MS,
      terminationGracePeriodMs: 90 * SECOND_MS,
    });

    expect(admit(NODE_CLAIM, nodeClaimManifest(claim))).toMatchObject({
      outcome: 'accepted',
      object: {
        spec: {
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'karpenter.sh/nodepool', operator: 'In', values: ['general'] },
            {
              key: 'node.kubernetes.io/instance-type',
              operator: 'In',
              values: ['m7i.large', 'm7i.xlarge'],
              minValues: 2,
            },
          ],
          resources: { requests: { cpu: '1', memory: '1Gi', pods: '1' } },
          expireAfter: '720h',
          terminationGracePeriod: '1m30s',
        },
      },
    });
  });

  it('keeps its spec for life: the API forbids to change one', () => {
    const specOf = (claim: NodeClaim): unknown =>
      Object.entries(nodeClaimManifest(claim)).find(([field]) => field === 'spec');

    const before = specOf(aNodeClaim());

    expect(specOf(anInitializedClaim('node-1', { deletingAt: at(60) }))).toEqual(before);
  });
});

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

    await cluster.projectNodeClaim(outOfReservation(claim));

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
