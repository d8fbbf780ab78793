import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { NodePoolStatus } from '../../../shared/model/nodes/reported-status.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import { NOON, resources } from '../../support/builders.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLivePool, COLLECTIONS, NOON_TEXT } from '../support/live-objects.ts';
import type { RawObject } from '../support/raw-object.ts';

const { pools } = COLLECTIONS;

const status = (over: Partial<NodePoolStatus> = {}): NodePoolStatus => ({
  pool: 'general',
  uid: 'pool-1',
  hash: '0123456789abcdef',
  resources: resources(8, 32, { nodes: 2 }),
  nodes: 2,
  conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }],
  ...over,
});

const notReady = status({
  conditions: [
    {
      type: 'Ready',
      status: 'False',
      reason: 'UnhealthyDependents',
      message: 'NodeClassReady=False',
    },
  ],
});

describe('the report of a NodePool', () => {
  let double: ApiDouble;
  let cluster: Cluster;
  let now = NOON;
  beforeEach(async () => {
    double = await startApiDouble();
    cluster = kubernetesCluster({ api: connect(double).api, clock: { now: () => now } });
    now = NOON + MINUTE_MS;
    double.put(pools, aLivePool({ metadata: { uid: 'pool-1' } }));
  });
  afterEach(async () => double.close());

  const stored = (): RawObject | undefined => double.table.find(pools, '/general');

  it('names the generation of its EC2NodeClass', async () => {
    await cluster.reportNodePool(status({ nodeClassGeneration: 3 }));
    expect(stored()).toMatchObject({ status: { nodeClassObservedGeneration: 3 } });

    await cluster.reportNodePool(status({ nodeClassGeneration: 4 }));
    expect(stored()).toMatchObject({ status: { nodeClassObservedGeneration: 4 } });
  });

  it('contains its status and the hash of its template', async () => {
    await cluster.reportNodePool(status());

    expect(stored()).toMatchObject({
      metadata: {
        annotations: {
          'karpenter.sh/nodepool-hash': '0123456789abcdef',
          'karpenter.sh/nodepool-hash-version': 's1',
        },
      },
      status: {
        nodes: 2,
        resources: { cpu: '8', memory: '32Gi', nodes: '2' },
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Ready',
            message: '',
            lastTransitionTime: NOON_TEXT,
            observedGeneration: 1,
          },
        ],
      },
    });
  });

  it('is written only if it changed', async () => {
    await cluster.reportNodePool(status());
    const before = double.requests.length;

    await cluster.reportNodePool(status());

    expect(double.requests.slice(before).map(({ method }) => method)).toEqual(['GET']);
  });

  it('keeps the time of a condition until its status changes', async () => {
    await cluster.reportNodePool(status());
    await cluster.reportNodePool(notReady);
    now += MINUTE_MS;
    await cluster.reportNodePool({ ...notReady, nodes: 3 });

    expect(stored()?.status?.conditions).toMatchObject([
      { status: 'False', lastTransitionTime: '2026-01-01T12:01:00Z' },
    ]);
  });

  it('is not written to a recreated or missing pool', async () => {
    await cluster.reportNodePool(status({ uid: 'of-another' }));
    await cluster.reportNodePool(status({ pool: 'gone' }));

    expect(double.requests.every(({ method }) => method === 'GET')).toBe(true);
  });
});
