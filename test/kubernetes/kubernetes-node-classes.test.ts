import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesNodeClasses } from '../../shared/kubernetes/kubernetes-node-classes.ts';
import { readDnsIp, readKubernetesVersion } from '../../shared/kubernetes/readers/read-cluster-facts.ts';
import { readNodeClassReadiness } from '../../shared/kubernetes/readers/read-node-pool.ts';
import { StaleObjectError } from '../../shared/model/errors.ts';
import type { NodeClassObject } from '../../shared/ports/node-classes.ts';
import { NOON } from '../support/builders.ts';
import { anImage, aResolvedClass, aWrittenClass } from '../support/node-classes.ts';
import { type ApiDouble, startApiDouble } from './support/api-double.ts';
import { connect } from './support/connect.ts';

const CLASSES = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';
const { spec } = aWrittenClass();

let double: ApiDouble;
const doubles: ApiDouble[] = [];
beforeEach(async () => {
  double = await startApiDouble();
  doubles.push(double);
});
afterAll(() => Promise.all(doubles.map((one) => one.close())));

const put = (over: object = {}, metadata: object = {}) =>
  double.put(CLASSES, {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: {
      name: 'default',
      uid: 'u-1',
      generation: 1,
      creationTimestamp: '2026-01-01T12:00:00Z',
      ...metadata,
    },
    spec,
    ...over,
  });

const objects = () => kubernetesNodeClasses(connect(double).api);

async function only(): Promise<NodeClassObject> {
  const [object] = await objects().list();
  if (!object) throw new Error('no class');
  return object;
}

describe('EC2NodeClasses in the API server', () => {
  it('are read with their conditions', async () => {
    const since = '2026-01-01T11:00:00Z';
    const Ready = { type: 'Ready', status: 'False', reason: 'x', lastTransitionTime: since };
    put(
      { status: { conditions: [{ ...Ready, observedGeneration: 2 }] } },
      { finalizers: ['f'], annotations: { a: '1' } },
    );

    expect(await only()).toMatchObject({
      name: 'default',
      uid: 'u-1',
      generation: 1,
      annotations: { a: '1' },
      finalizers: ['f'],
      isDeleting: false,
      spec: { outcome: 'read', written: { spec: { role: 'KarpenterNodeRole-demo' } } },
      conditions: [{ type: 'Ready', status: 'False', reason: 'x', since: Date.parse(since) }],
      observedGeneration: 2,
    });
  });

  it('are read as unreadable, with the reason, if a field is unknown', async () => {
    put({ spec: { ...spec, amiSelectorTerms: [] } });

    expect((await only()).spec).toMatchObject({ outcome: 'unreadable' });
  });

  it('get finalizers and annotations and keep annotations of other writers', async () => {
    put({}, { annotations: { theirs: '1' } });

    const changed = await objects().change(await only(), {
      finalizers: ['ours'],
      annotations: { ours: '1' },
    });

    expect(changed).toMatchObject({
      finalizers: ['ours'],
      annotations: { theirs: '1', ours: '1' },
    });
    expect((await only()).resourceVersion).toBe(changed.resourceVersion);
  });

  it("get a status in the CRD's format; an unchanged condition keeps its time", async () => {
    const since = '2026-01-01T11:00:00Z';
    const before = { type: 'SubnetsReady', status: 'True', lastTransitionTime: since };
    put({ status: { instanceProfile: 'old', conditions: [before] } });
    const { instanceProfile: _, ...status } = aResolvedClass({
      images: [anImage({ deprecated: true })],
      subnets: [{ id: 'subnet-1', zone: 'us-east-1a', zoneId: 'use1-az1', freeAddresses: 9 }],
      conditions: [
        { type: 'SubnetsReady', status: 'True', reason: 'SubnetsReady', message: '' },
        { type: 'Ready', status: 'False', reason: 'UnhealthyDependents', message: 'why' },
      ],
    });

    await objects().writeStatus(await only(), status, NOON);

    expect(double.table.find(CLASSES, '/default')).toMatchObject({
      status: {
        subnets: [{ id: 'subnet-1', zone: 'us-east-1a', zoneID: 'use1-az1' }],
        securityGroups: [{ id: 'sg-1', name: 'nodes' }],
        amis: [
          {
            id: 'ami-amd64',
            name: anImage().name,
            deprecated: true,
            requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
          },
        ],
        conditions: [
          { type: 'SubnetsReady', lastTransitionTime: since, observedGeneration: 1 },
          {
            type: 'Ready',
            status: 'False',
            reason: 'UnhealthyDependents',
            message: 'why',
            lastTransitionTime: '2026-01-01T12:00:00Z',
            observedGeneration: 1,
          },
        ],
      },
    });
    expect(double.table.find(CLASSES, '/default')).not.toHaveProperty('status.instanceProfile');
  });

  it('are not written if they changed since they were read', async () => {
    put();
    const observed = await only();
    put({}, { labels: { edited: '1' } });

    await expect(objects().change(observed, { finalizers: [] })).rejects.toThrow(StaleObjectError);
    await expect(objects().writeStatus(observed, aResolvedClass(), NOON)).rejects.toThrow(StaleObjectError);
  });
});

describe('the readiness of an EC2NodeClass', () => {
  const judged = (observedGeneration: number) =>
    readNodeClassReadiness({
      metadata: {
        name: 'default',
        generation: 2,
        creationTimestamp: '2026-01-01T08:00:00Z',
        managedFields: [
          { manager: 'kubectl', time: '2026-01-01T11:00:00Z' },
          { manager: 'kubectl-edit', time: '2026-01-01T12:00:00Z' },
          { manager: 'mortise', time: '2026-01-01T13:00:00Z', subresource: 'status' },
        ],
      },
      status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration }] },
    });

  it('is unknown since the last change if its conditions belong to an older generation', () => {
    expect(judged(2)).toEqual({ outcome: 'read', value: { name: 'default', generation: 2 } });
    expect(judged(1)).toMatchObject({
      value: {
        notReady: {
          condition: 'NodeClassReadinessUnknown',
          message: 'the EC2NodeClass was changed and not evaluated since',
          classWrittenAt: NOON,
        },
      },
    });
  });
});

describe('the facts of a cluster', () => {
  it('contain its version without the plus of EKS and the address of its DNS', async () => {
    const { api } = connect(double);
    double.fail('/version', { status: 200, text: '{"major":"1","minor":"34+"}' });
    double.put('/api/v1/services', {
      metadata: { name: 'kube-dns', namespace: 'kube-system' },
      spec: { clusterIP: '10.100.0.10' },
    });

    expect(await readKubernetesVersion(api)).toBe('1.34');
    expect(await readDnsIp(api)).toBe('10.100.0.10');
  });

  it('contain no DNS address if there is no DNS Service', async () => {
    expect(await readDnsIp(connect(double).api)).toBeUndefined();
  });
});
