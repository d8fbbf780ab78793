import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  OS_LABEL,
  REGION_LABEL,
  ZONE_LABEL,
} from '../../../model/labels.ts';
import type { MetricLabels } from '../../../model/metrics/metrics.ts';
import { isManagedNode, type Node } from '../../../model/nodes/node.ts';
import { ownValue } from '../../../model/own-value.ts';
import { isTerminal } from '../../../model/pods/disruption-pods.ts';
import type { Pod } from '../../../model/pods/pod.ts';
import { isDaemon } from '../../../model/pods/workload.ts';
import {
  addResources,
  NO_RESOURCES,
  type Resources,
  subtractResources,
  toBaseUnits,
} from '../../../model/resources.ts';
import { type EpochMs, SECOND_MS } from '../../../model/time.ts';
import type { ClusterObjects } from '../../../ports/cluster.ts';
import type { GaugeSample, Telemetry } from '../../../ports/ports.ts';

type ResourceGauge =
  | 'karpenter_nodes_allocatable'
  | 'karpenter_nodes_system_overhead'
  | 'karpenter_nodes_total_pod_requests'
  | 'karpenter_nodes_total_daemon_requests';

/** Gauges what each Node offers and what its pods request. */
export function gaugeNodes(
  telemetry: Telemetry,
  { nodes, pods }: Pick<ClusterObjects, 'nodes' | 'pods'>,
  now: EpochMs,
): void {
  const requests = sumRequests(pods);
  const labelled = nodes.map((node) => ({
    node,
    labels: toNodeLabels(node),
    requests: requests.get(node.name) ?? NO_REQUESTS,
  }));
  const gauge = (name: ResourceGauge, amounts: (one: (typeof labelled)[number]) => Resources) =>
    telemetry.gauge(
      name,
      labelled.flatMap((one) => toSamples(one.labels, amounts(one))),
    );

  gauge('karpenter_nodes_allocatable', ({ node }) => node.allocatable);
  gauge('karpenter_nodes_system_overhead', ({ node }) => subtractResources(node.capacity, node.allocatable));
  gauge('karpenter_nodes_total_pod_requests', (one) => one.requests.all);
  gauge('karpenter_nodes_total_daemon_requests', (one) => one.requests.daemons);
  telemetry.gauge(
    'karpenter_nodes_current_lifetime_seconds',
    labelled.map(({ node, labels }) => ({
      labels,
      value: Math.max(now - node.createdAt, 0) / SECOND_MS,
    })),
  );
  telemetry.gauge(
    'karpenter_cluster_utilization_percent',
    computeUtilization(
      addResources(...nodes.map(({ allocatable }) => allocatable)),
      addResources(...labelled.map((one) => one.requests.all)),
    ),
  );
}

interface NodeRequests {
  readonly all: Resources;
  readonly daemons: Resources;
}

const NO_REQUESTS: NodeRequests = { all: NO_RESOURCES, daemons: NO_RESOURCES };

/** By Node name. Finished pods have given their resources back. */
function sumRequests(pods: readonly Pod[]): ReadonlyMap<string, NodeRequests> {
  const bound = pods.filter((pod) => pod.nodeName !== undefined && !isTerminal(pod));
  const byNode = Map.groupBy(bound, ({ nodeName }) => nodeName ?? '');
  const sum = (members: readonly Pod[]): Resources => addResources(...members.map(({ spec }) => spec.requests));
  return new Map(
    [...byNode].map(([name, members]) => [name, { all: sum(members), daemons: sum(members.filter(isDaemon)) }]),
  );
}

type NodeLabels = MetricLabels<'karpenter_nodes_current_lifetime_seconds'>;

function toNodeLabels(node: Node): NodeLabels {
  const read = (key: string): string => ownValue(node.labels, key) ?? '';
  return {
    node_name: node.name,
    nodepool: read(NODEPOOL_LABEL),
    managed: `${isManagedNode(node)}`,
    arch: read(ARCH_LABEL),
    os: read(OS_LABEL),
    capacity_type: read(CAPACITY_TYPE_LABEL),
    instance_category: read('karpenter.k8s.aws/instance-category'),
    instance_family: read('karpenter.k8s.aws/instance-family'),
    instance_size: read('karpenter.k8s.aws/instance-size'),
    instance_type: read(INSTANCE_TYPE_LABEL),
    region: read(REGION_LABEL),
    zone: read(ZONE_LABEL),
  };
}

const toSamples = (labels: NodeLabels, amounts: Resources): readonly GaugeSample<ResourceGauge>[] =>
  Object.entries(amounts).map(([resource, amount]) => ({
    labels: { ...labels, resource_type: toResourceType(resource) },
    value: toBaseUnits(resource, amount),
  }));

/** Karpenter writes `ephemeral-storage` as `ephemeral_storage`. */
const toResourceType = (resource: string): string => resource.toLowerCase().replaceAll('-', '_');

const computeUtilization = (
  allocatable: Resources,
  requested: Resources,
): readonly GaugeSample<'karpenter_cluster_utilization_percent'>[] =>
  Object.entries(allocatable)
    .filter(([, amount]) => amount > 0)
    .map(([resource, amount]) => ({
      labels: { resource_type: toResourceType(resource) },
      value: (100 * (ownValue(requested, resource) ?? 0)) / amount,
    }));
