import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLiveFeed, type LiveFeed, type LiveFeedParts } from '../../../cli/console/live-feed.ts';
import { createModelSource } from '../../../console/model-source.ts';
import { MISSING_RIGHT } from '../../kubernetes/support/answers.ts';
import { type ApiDouble, startApiDouble } from '../../kubernetes/support/api-double.ts';
import { connect } from '../../kubernetes/support/connect.ts';
import {
  aLiveNode,
  aLiveNodeClass,
  aLivePod,
  aLivePool,
  aLiveRunningPod,
  COLLECTIONS,
} from '../../kubernetes/support/live-objects.ts';

const NODE_CLASS = aLiveNodeClass({
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role: 'node',
    subnetSelectorTerms: [{ tags: { team: 'shop' } }],
    securityGroupSelectorTerms: [{ tags: { team: 'shop' } }],
  },
});
const KARPENTER = [COLLECTIONS.pools, COLLECTIONS.claims, COLLECTIONS.nodeClasses];
const FOREVER = 1_000;

let server: ApiDouble;
let feed: LiveFeed | undefined;
beforeEach(async () => {
  server = await startApiDouble();
});
afterEach(async () => {
  feed?.stop();
  await server.close();
});

async function openFeed(findSubnets?: LiveFeedParts['findSubnets']) {
  const clock = { now: () => Date.now() };
  const opened = createLiveFeed({
    ...connect(server),
    clock,
    cluster: 'shop',
    region: 'us-east-1',
    ...(findSubnets && { findSubnets }),
  });
  feed = opened;
  await opened.ready;
  return { feed: opened, source: createModelSource(opened) };
}

/** A node of an EKS managed node group. */
const groupNode = (name: string, index: number) =>
  aLiveNode({
    name,
    metadata: {
      uid: name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': 'us-east-1a',
        'node.kubernetes.io/instance-type': 'm6i.2xlarge',
        'eks.amazonaws.com/nodegroup': 'workers',
        'eks.amazonaws.com/capacityType': 'SPOT',
      },
    },
    spec: { providerID: `aws:///us-east-1a/i-0${index}` },
  });

const eventually = (check: () => Promise<void>) => expect.poll(check, { timeout: 5_000 });

describe('a cluster without NodePools', () => {
  beforeEach(() => {
    for (const collection of KARPENTER) server.unserved.add(collection);
    for (const index of [1, 2]) server.put(COLLECTIONS.nodes, groupNode(`ip-${index}`, index));
    server.put(COLLECTIONS.pods, aLiveRunningPod({ spec: { nodeName: 'ip-1' } }));
  });

  it('is shown with its node groups, prices and cost', async () => {
    const { source } = await openFeed();
    const { nodes, totals, notices } = await source.state();

    expect(nodes).toMatchObject([
      { name: 'ip-1', pool: 'workers', capacityType: 'spot', state: 'ready' },
      { name: 'ip-2', pool: 'workers', capacityType: 'spot', state: 'empty' },
    ]);
    expect(totals.hourlyUsd.spot).toBeCloseTo(2 * (nodes[0]?.hourlyUsd ?? 0));
    expect(totals.hourlyUsd.spot).toBeGreaterThan(0.1);
    expect(notices?.join()).toMatch(/has no NodePools.*no AWS credentials/s);
  });

  it('shows the empty node that consolidation would remove', async () => {
    const { source } = await openFeed();
    const { proposal } = await source.state();

    expect(proposal).toMatchObject({ nodes: ['ip-2'], text: 'remove 1 node' });
    expect(await source.explain({ kind: 'node', name: 'ip-2' })).toMatchObject({
      outcome: 'not-ours',
      evidence: expect.arrayContaining([
        { label: 'without it', text: 'its pods fit the other nodes, so it is not needed now' },
      ]) as unknown,
    });
  });
});

describe('a pod that is created', () => {
  it('appears with the reasons of the planner, and leaves when it is deleted', async () => {
    server.put(COLLECTIONS.pools, aLivePool());
    server.put(COLLECTIONS.nodeClasses, NODE_CLASS);
    const { source } = await openFeed();
    expect((await source.state()).pods).toEqual([]);

    const huge = { resources: { requests: { cpu: '4000' } } };
    server.put(COLLECTIONS.pods, aLivePod({ name: 'huge-1', spec: { containers: [{ name: 'huge', ...huge }] } }));
    await eventually(async () => {
      const { pending } = await source.state();
      expect(pending).toMatchObject([
        {
          title: 'default/web',
          status: 'blocked',
          line: { text: expect.stringMatching(/4000 cpu/) as unknown },
        },
      ]);
    }).toBeUndefined();
    expect(feed?.events().map(({ event }) => event.kind)).toEqual(['unplaced']);
  });
});

describe('a cluster that Karpenter runs', () => {
  it('has the shortages and the words of Karpenter, as mortise explain has', async () => {
    const now = new Date().toISOString();
    const karpenter = { apiVersion: 'v1', metadata: { name: 'karpenter-leader-election', namespace: 'kube-system' } };
    server.put(COLLECTIONS.leases, { ...karpenter, kind: 'Lease', spec: { holderIdentity: 'k-0', renewTime: now } });
    server.put(COLLECTIONS.events, {
      ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'a', namespace: 'default' } },
      ...{ reportingController: 'karpenter', reason: 'InsufficientCapacityError', eventTime: now },
      note: 'We currently do not have sufficient m6i.2xlarge capacity in the Availability Zone you requested (us-east-1a).',
      regarding: { kind: 'NodePool', name: 'general' },
    });
    server.put(COLLECTIONS.pools, aLivePool());
    server.put(COLLECTIONS.nodeClasses, NODE_CLASS);
    const { feed: opened, source } = await openFeed();

    const { snapshot } = await opened.observe();
    expect(snapshot.unavailable).toMatchObject([{ instanceType: 'm6i.2xlarge', zone: 'us-east-1a' }]);
    expect((await source.explain({ kind: 'nodepool', name: 'general' }))?.evidence).toContainEqual({
      label: 'Karpenter',
      text: expect.stringMatching(/^InsufficientCapacityError .*sufficient m6i.2xlarge capacity/) as unknown,
    });
  });
});

describe('missing rights', () => {
  it('lead to a sentence about what is unknown, and not to an error', async () => {
    server.put(COLLECTIONS.nodes, groupNode('ip-1', 1));
    for (const path of [COLLECTIONS.pods, COLLECTIONS.budgets]) {
      server.fail(path, MISSING_RIGHT, FOREVER);
    }
    const { source } = await openFeed();
    const { nodes, notices } = await source.state();

    expect(nodes.map(({ name }) => name)).toEqual(['ip-1']);
    expect(notices).toContain(
      'Not allowed to list and watch pods: free room, pending pods and their reasons are unknown.',
    );
    expect(notices?.join()).toMatch(/poddisruptionbudgets: removals are proposed as if/);
  });
});

it('sends no request but reads', async () => {
  server.put(COLLECTIONS.pools, aLivePool());
  server.put(COLLECTIONS.nodes, groupNode('ip-1', 1));
  server.put(COLLECTIONS.pods, aLivePod());
  const { source } = await openFeed();
  await source.state();

  expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
});

describe('the AMIs and subnets of an EC2NodeClass', () => {
  const status = {
    amis: [{ id: 'ami-1', name: 'al2023-v1', requirements: [] }],
    subnets: [
      { id: 'subnet-a', zone: 'us-east-1a' },
      { id: 'subnet-b', zone: 'us-east-1b' },
    ],
  };
  beforeEach(() => {
    server.put(COLLECTIONS.nodeClasses, { ...NODE_CLASS, status });
    server.put(COLLECTIONS.pools, aLivePool());
  });

  it('are those of its status, without free addresses if EC2 cannot be asked', async () => {
    const { source } = await openFeed();
    const { pools } = await source.pools();
    expect(pools.map(({ resources }) => resources)).toEqual([
      { images: [{ id: 'ami-1', name: 'al2023-v1' }], subnets: status.subnets },
    ]);
  });

  it('have the free addresses of EC2, the fewest first', async () => {
    const { feed: opened, source } = await openFeed(async (terms) =>
      terms.map(({ id = '' }) => ({
        ...{ id, zone: 'us-east-1a' },
        freeAddresses: id === 'subnet-a' ? 4_000 : 3,
      })),
    );
    server.put(COLLECTIONS.pods, aLivePod());
    await opened.observe();
    const readSubnets = async () => (await source.pools()).pools[0]?.resources?.subnets;
    await expect.poll(readSubnets, { timeout: 5_000 }).toEqual([
      { id: 'subnet-b', zone: 'us-east-1b', freeAddresses: 3 },
      { id: 'subnet-a', zone: 'us-east-1a', freeAddresses: 4_000 },
    ]);
  });
});
