import { describe, expect, it } from 'vitest';
import type { MetricName } from '../../../../shared/model/metrics/metrics.ts';
import { GIB } from '../../../../shared/model/resources.ts';
import { HOUR_MS } from '../../../../shared/model/time.ts';
import {
  aLaunch,
  aNode,
  aNodeClaim,
  aNodePool,
  anInitializedClaim,
  aPod,
  aPodSpec,
  aRunningPod,
  NOON,
  nodeLabels,
  resources,
} from '../../../support/builders.ts';
import { type MemoryTelemetry, memoryTelemetry } from '../../../support/memory-telemetry.ts';
import { observedPorts } from './observed-ports.ts';

/** The values of a metric by its labels, as far as they are set. */
const seriesOf = ({ series }: MemoryTelemetry, name: MetricName): Record<string, number> =>
  Object.fromEntries(
    [...series]
      .filter(([key]) => key.startsWith(`${name}{`))
      .map(([key, value]) => [
        key
          .slice(name.length + 1, -1)
          .split(',')
          .filter((pair) => !pair.endsWith('='))
          .join(','),
        value,
      ]),
  );

const LABELS = nodeLabels({
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'karpenter.k8s.aws/instance-category': 'm',
  'karpenter.k8s.aws/instance-family': 'm7i',
  'karpenter.k8s.aws/instance-size': 'large',
});
const agent = {
  owner: { kind: 'DaemonSet', name: 'agent', uid: 'ds-agent' },
  spec: aPodSpec({ requests: { cpu: 100, pods: 1 } }),
};
const webOwner = { kind: 'ReplicaSet', name: 'web-6d5', uid: 'rs-web' };

/** A node of ours with a pod, a DaemonSet's pod and a finished pod; a node of others; a pending pod. */
const CLUSTER = {
  nodes: [
    aNode({ name: 'node-1', labels: LABELS }),
    aNode({
      name: 'theirs',
      labels: {},
      allocatable: resources(2, 4),
      capacity: resources(2, 4),
      troubles: [{ condition: 'NetworkReady', status: 'False' as const, since: NOON - 30_000 }],
    }),
  ],
  pods: [
    aRunningPod('node-1', { name: 'web-1', owner: webOwner }),
    aRunningPod('node-1', { name: 'agent-1', ...agent }),
    aRunningPod('node-1', { name: 'job-1', phase: 'Succeeded', ready: false }),
    aPod({ name: 'web-2' }),
  ],
  pools: [
    aNodePool({
      disruption: {
        consolidateAfterMs: 0,
        policy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '5' }, { nodes: '0', reasons: ['Drifted'] }],
      },
    }),
    aNodePool({
      name: 'free',
      disruption: { consolidateAfterMs: 0, policy: 'WhenEmpty', budgets: [] },
    }),
  ],
};
const CLAIMS = [
  anInitializedClaim('node-1'),
  aNodeClaim({
    name: 'general-2',
    createdAt: NOON - HOUR_MS,
    launch: aLaunch({ at: NOON - 60_000 }),
    deletingAt: NOON - 10_000,
  }),
];

const NODE_1 =
  'node_name=node-1,nodepool=general,managed=true,arch=amd64,os=linux,capacity_type=on-demand,' +
  'instance_category=m,instance_family=m7i,instance_size=large,instance_type=m7i.large,' +
  'region=us-east-1,zone=us-east-1a';
const THEIRS = 'node_name=theirs,managed=false';
const HOST = 'nodepool=general,zone=us-east-1a,arch=amd64,capacity_type=on-demand,instance_type=m7i.large';
const CLAIM = 'karpenter_sh_nodepool=general,karpenter_k8s_aws_ec2nodeclass=default';

/** The metrics 20 seconds after noon. */
const EXPECTED: readonly (readonly [MetricName, Record<string, number>])[] = [
  [
    'karpenter_nodes_allocatable',
    {
      [`${NODE_1},resource_type=cpu`]: 1.93,
      [`${NODE_1},resource_type=memory`]: 7 * GIB,
      [`${NODE_1},resource_type=pods`]: 29,
      [`${THEIRS},resource_type=cpu`]: 2,
      [`${THEIRS},resource_type=memory`]: 4 * GIB,
    },
  ],
  [
    'karpenter_nodes_system_overhead',
    {
      [`${NODE_1},resource_type=cpu`]: 0.07,
      [`${NODE_1},resource_type=memory`]: GIB,
      [`${NODE_1},resource_type=pods`]: 0,
      [`${THEIRS},resource_type=cpu`]: 0,
      [`${THEIRS},resource_type=memory`]: 0,
    },
  ],
  [
    'karpenter_nodes_total_pod_requests',
    {
      [`${NODE_1},resource_type=cpu`]: 1.1,
      [`${NODE_1},resource_type=memory`]: GIB,
      [`${NODE_1},resource_type=pods`]: 2,
    },
  ],
  [
    'karpenter_nodes_total_daemon_requests',
    { [`${NODE_1},resource_type=cpu`]: 0.1, [`${NODE_1},resource_type=pods`]: 1 },
  ],
  ['karpenter_nodes_current_lifetime_seconds', { [NODE_1]: 20, [THEIRS]: 20 }],
  [
    'karpenter_cluster_utilization_percent',
    {
      'resource_type=cpu': (100 * 1100) / 3930,
      'resource_type=memory': 100 / 11,
      'resource_type=pods': 200 / 29,
    },
  ],
  [
    'karpenter_pods_state',
    {
      [`name=web-1,namespace=default,owner=ReplicaSet/web-6d5,node=node-1,scheduled=true,${HOST},phase=Running,ready=true,managed=true`]: 1,
      [`name=agent-1,namespace=default,owner=DaemonSet/agent,node=node-1,scheduled=true,${HOST},phase=Running,ready=true,managed=true`]: 1,
      [`name=job-1,namespace=default,node=node-1,scheduled=true,${HOST},phase=Succeeded,ready=false,managed=true`]: 1,
      'name=web-2,namespace=default,scheduled=false,phase=Pending,ready=false,managed=false': 1,
    },
  ],
  [
    'operator_nodeclaim_status_condition_current_status_seconds',
    {
      [`name=general-1,type=Launched,status=True,reason=Launched,${CLAIM}`]: 20,
      [`name=general-1,type=Registered,status=True,reason=Registered,${CLAIM}`]: 20,
      [`name=general-1,type=Initialized,status=True,reason=Initialized,${CLAIM}`]: 20,
      [`name=general-1,type=Ready,status=True,reason=Ready,${CLAIM}`]: 20,
      [`name=general-1,type=ConsistentStateFound,status=True,reason=ConsistentStateFound,${CLAIM}`]: 20,
      [`name=general-2,type=Launched,status=True,reason=Launched,${CLAIM}`]: 80,
      [`name=general-2,type=Registered,status=Unknown,reason=NodeNotFound,${CLAIM}`]: 3620,
      [`name=general-2,type=Initialized,status=Unknown,reason=AwaitingReconciliation,${CLAIM}`]: 3620,
      [`name=general-2,type=Ready,status=Unknown,reason=ReconcilingDependents,${CLAIM}`]: 3620,
    },
  ],
  ['operator_nodeclaim_termination_current_time_seconds', { [`name=general-2,${CLAIM}`]: 30 }],
  [
    'operator_node_status_condition_current_status_seconds',
    {
      [`name=node-1,type=Ready,status=True,${CLAIM},karpenter_sh_initialized=true`]: 20,
      'name=theirs,type=Ready,status=True': 20,
      'name=theirs,type=NetworkReady,status=False': 50,
    },
  ],
  [
    'karpenter_nodepools_allowed_disruptions',
    {
      'nodepool=general,reason=empty': 5,
      'nodepool=general,reason=drifted': 0,
      'nodepool=general,reason=underutilized': 5,
      'nodepool=general,reason=unhealthy': 5,
      'nodepool=free,reason=empty': 0,
      'nodepool=free,reason=drifted': 0,
      'nodepool=free,reason=underutilized': 0,
      'nodepool=free,reason=unhealthy': 0,
    },
  ],
];

describe('the metrics of objects', () => {
  it.each(EXPECTED)('show the observed objects: %s', async (name, expected) => {
    const telemetry = memoryTelemetry();
    const { observe, scrape } = observedPorts(telemetry);

    await observe(0, CLUSTER, CLAIMS);
    scrape(20);

    const actual = seriesOf(telemetry, name);
    expect(Object.keys(actual).toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const [labels, value] of Object.entries(expected)) {
      expect(actual[labels], labels).toBeCloseTo(value, 6);
    }
  });

  it('count each condition once', async () => {
    const telemetry = memoryTelemetry();
    const { observe, scrape } = observedPorts(telemetry);

    await observe(0, CLUSTER, CLAIMS);
    scrape(20);

    const counts = seriesOf(telemetry, 'operator_nodeclaim_status_condition_count');
    const ages = seriesOf(telemetry, 'operator_nodeclaim_status_condition_current_status_seconds');
    expect(Object.keys(counts)).toEqual(Object.keys(ages));
    expect(new Set(Object.values(counts))).toEqual(new Set([1]));
  });

  it('disappear with their objects', async () => {
    const telemetry = memoryTelemetry();
    const { observe, scrape } = observedPorts(telemetry);

    await observe(0, CLUSTER, CLAIMS);
    scrape(20);
    const gauges = EXPECTED.map(([name]) => name);
    await observe(60, {});
    scrape(80);

    expect(gauges.map((name) => [name, seriesOf(telemetry, name)])).toEqual(gauges.map((name) => [name, {}]));
  });

  it('disappear when another process observes the cluster', async () => {
    const telemetry = memoryTelemetry();
    const { observe, scrape, metrics } = observedPorts(telemetry);

    await observe(0, CLUSTER, CLAIMS);
    metrics.clear();
    scrape(20);

    expect([...telemetry.series.keys()]).toEqual([]);
  });
});
