import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClaimSchema } from '../../shared/api/node-claim.ts';
import { readWithSchema } from '../../shared/api/read-with-schema.ts';
import { KindNotServedError } from '../../shared/kubernetes/api-errors.ts';
import { kubernetesCluster } from '../../shared/kubernetes/kubernetes-cluster.ts';
import { conditionsOf } from '../../shared/kubernetes/node-claim-conditions.ts';
import { nodeClaimManifest } from '../../shared/kubernetes/node-claim-manifest.ts';
import type { NodeClaim } from '../../shared/model/node-claim.ts';
import { HOUR_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Cluster } from '../../shared/ports/cluster.ts';
import { aLaunch, aNodeClaim, anInitializedClaim, NOON } from '../support/builders.ts';
import { refusal } from './support/answers.ts';
import { type ApiDouble, startApiDouble } from './support/api-double.ts';
import { connect } from './support/connect.ts';
import { COLLECTIONS } from './support/live-objects.ts';
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

    const reading = readWithSchema(nodeClaimSchema, nodeClaimManifest(claim));

    expect(reading).toMatchObject({
      outcome: 'read',
      value: {
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
          resources: { requests: { cpu: '1000m', memory: '1073741824', pods: '1' } },
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

  it('is applied by its own field manager, object and status apart', async () => {
    await cluster.projectNodeClaim(anInitializedClaim('node-1'));

    expect(
      double.requests.map(({ method, path, query, contentType }) => ({
        method,
        path,
        query: query.toString(),
        contentType,
      })),
    ).toEqual(
      ['', '/status'].map((subresource) => ({
        method: 'PATCH',
        path: `${claims}/general-1${subresource}`,
        query: 'fieldManager=mortise&force=true',
        contentType: 'application/apply-patch+yaml',
      })),
    );
    expect(stored()).toMatchObject({
      metadata: { finalizers: ['karpenter.sh/termination'] },
      status: { nodeName: 'node-1', providerID: 'aws:///us-east-1a/i-node-1' },
    });
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
