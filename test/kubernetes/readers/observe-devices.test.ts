import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { GIB } from '../../../shared/model/resources.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { NOON } from '../../support/builders.ts';
import { MISSING_RIGHT } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLivePod, COLLECTIONS } from '../support/live-objects.ts';

const GROUP = '/apis/resource.k8s.io/v1';
const SLICES = `${GROUP}/resourceslices`;

let double: ApiDouble;
let cluster: Cluster;
beforeEach(async () => {
  double = await startApiDouble();
  cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => NOON } });
  putDevices();
});
afterEach(async () => double.close());

function putDevices(): void {
  double.put(SLICES, {
    metadata: { name: 'node-1-gpu' },
    spec: {
      driver: 'gpu.example.com',
      pool: { name: 'node-1', generation: 2, resourceSliceCount: 1 },
      nodeName: 'node-1',
      sharedCounters: [{ name: 'gpu-0', counters: { memory: { value: '80Gi' } } }],
      devices: [
        {
          name: 'gpu-0-half',
          attributes: { model: { string: 'A100' }, driverVersion: { version: '1.2.3' } },
          capacity: {
            memory: {
              value: '40Gi',
              requestPolicy: { default: '4Gi', validRange: { min: '1Gi', step: '1Gi' } },
            },
          },
          consumesCounters: [{ counterSet: 'gpu-0', counters: { memory: { value: '40Gi' } } }],
          allowMultipleAllocations: true,
          taints: [{ key: 'gpu.example.com/broken', effect: 'NoExecute' }],
        },
      ],
    },
  });
  double.put(`${GROUP}/deviceclasses`, {
    metadata: { name: 'gpu' },
    spec: { selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] },
  });
  const devices = {
    requests: [
      { name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
      {
        name: 'nic',
        firstAvailable: [{ name: 'fast', deviceClassName: 'nic', allocationMode: 'All' }],
      },
    ],
    constraints: [{ requests: ['gpu'], matchAttribute: 'gpu.example.com/model' }],
  };
  double.put(`${GROUP}/resourceclaimtemplates`, {
    metadata: { name: 'two', namespace: 'default' },
    spec: { spec: { devices } },
  });
  double.put(`${GROUP}/resourceclaims`, {
    metadata: { name: 'web-1-gpu', namespace: 'default' },
    spec: { devices },
    status: {
      allocation: {
        devices: {
          results: [{ request: 'gpu', driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0-half' }],
        },
        nodeSelector: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
        },
      },
      reservedFor: [{ resource: 'pods', name: 'web-1', uid: 'uid-web-1' }],
    },
  });
}

const putClaimingPod = () => {
  const { spec, ...pod } = aLivePod();
  const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'two' }];
  const status = { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'web-1-gpu' }] };
  double.put(COLLECTIONS.pods, { ...pod, spec: { ...spec, resourceClaims }, status });
};

const requestsOfGroup = () => double.requests.filter(({ path }) => path.startsWith(GROUP));

describe('devices', () => {
  it('contain everything that allocation reads', async () => {
    putClaimingPod();
    const { devices, pods } = await cluster.observe({ devices: true });

    expect(pods[0]).toMatchObject({
      spec: { deviceClaims: [{ name: 'gpu', template: 'two' }] },
      madeClaims: { gpu: 'web-1-gpu' },
    });
    const request = {
      requests: [
        { name: 'gpu', choices: [expect.objectContaining({ name: 'gpu', count: 2 })] },
        { name: 'nic', choices: [expect.objectContaining({ name: 'nic/fast', count: 'all' })] },
      ],
      constraints: [{ requests: ['gpu'], attribute: 'gpu.example.com/model', kind: 'match' }],
    };
    expect(devices).toEqual({
      slices: [
        {
          name: 'node-1-gpu',
          driver: 'gpu.example.com',
          pool: 'node-1',
          generation: 2,
          slicesInPool: 1,
          reach: { node: 'node-1' },
          counters: { 'gpu-0': { memory: 80 * GIB } },
          devices: [
            {
              name: 'gpu-0-half',
              attributes: { model: { string: 'A100' }, driverVersion: { version: '1.2.3' } },
              capacity: {
                memory: {
                  value: 40 * GIB,
                  policy: { byDefault: 4 * GIB, range: { min: GIB, step: GIB } },
                },
              },
              uses: [{ set: 'gpu-0', counters: { memory: 40 * GIB } }],
              shareable: true,
              taints: [{ key: 'gpu.example.com/broken', effect: 'NoExecute' }],
            },
          ],
        },
      ],
      classes: [{ name: 'gpu', selectors: ['device.driver == "gpu.example.com"'] }],
      templates: [{ namespace: 'default', name: 'two', request }],
      claims: [
        {
          namespace: 'default',
          name: 'web-1-gpu',
          request,
          allocation: {
            devices: [{ driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0-half' }],
            nodeTerms: [[{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-1'] }]],
          },
          holders: ['uid-web-1'],
          deleting: false,
        },
      ],
    });
  });

  it('stay identical while nothing changes', async () => {
    putClaimingPod();
    const { devices } = await cluster.observe({ devices: true });
    expect((await cluster.observe({ devices: true })).devices).toBe(devices);
  });

  it.each([
    ['they are not requested', true, false],
    ['no pod claims one', false, true],
  ])('cost no request while %s', async (_, isClaimed, devices) => {
    if (isClaimed) putClaimingPod();
    double.put(COLLECTIONS.pods, aLivePod({ name: 'other' }));

    expect(await cluster.observe({ devices })).not.toHaveProperty('devices');
    expect(requestsOfGroup()).toEqual([]);
  });

  it.each([
    [
      'does not serve them',
      () => {
        for (const version of ['v1', 'v1beta2', 'v1beta1']) {
          double.unserved.add(`/apis/resource.k8s.io/${version}/resourceslices`);
        }
      },
    ],
    ['does not allow to list them', () => double.fail(SLICES, MISSING_RIGHT)],
  ])('are none where the cluster %s', async (_, closeGroup) => {
    putClaimingPod();
    closeGroup();
    expect(await cluster.observe({ devices: true })).not.toHaveProperty('devices');
  });

  it('are read in v1beta1 if no newer version is served', async () => {
    const OLD = '/apis/resource.k8s.io/v1beta1';
    for (const version of ['v1', 'v1beta2']) {
      double.unserved.add(`/apis/resource.k8s.io/${version}/resourceslices`);
    }
    double.put(`${OLD}/resourceslices`, {
      metadata: { name: 'node-1-gpu' },
      spec: {
        driver: 'gpu.example.com',
        pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
        nodeName: 'node-1',
        devices: [{ name: 'gpu-0', basic: { attributes: { model: { string: 'A100' } } } }],
      },
    });
    const request = { name: 'gpu', deviceClassName: 'gpu', allocationMode: 'All' };
    double.put(`${OLD}/resourceclaims`, {
      metadata: { name: 'old', namespace: 'default' },
      spec: { devices: { requests: [request] } },
    });
    putClaimingPod();
    const { devices } = await cluster.observe({ devices: true });

    expect(devices?.slices[0]?.devices).toEqual([
      { name: 'gpu-0', attributes: { model: { string: 'A100' } }, capacity: {} },
    ]);
    expect(devices?.claims[0]?.request.requests).toEqual([
      {
        name: 'gpu',
        choices: [expect.objectContaining({ name: 'gpu', deviceClass: 'gpu', count: 'all' })],
      },
    ]);
  });
});
