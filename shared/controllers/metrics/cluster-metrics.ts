import { NODEPOOL_LABEL } from '../../model/labels.ts';
import { isManagedNode, type Node } from '../../model/nodes/node.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { findOffHours } from '../../model/nodes/pool-hours.ts';
import { isProvisionable, isReschedulable } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { intersectRequirements, toLabelRequirements, toRequirements } from '../../model/requirements/requirements.ts';
import { toBaseUnits } from '../../model/resources.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import { gaugeOne, type Telemetry } from '../../ports/ports.ts';
import { mayRunOnNewNode } from '../../scheduling/instance-types/daemon-overhead.ts';

/** Gauges pods, Nodes and NodePools as they were observed. */
export function gaugeCluster(telemetry: Telemetry, { nodes, pods, pools }: ClusterObjects, now: EpochMs): void {
  const pending = pods.filter(isProvisionable);
  gaugeOne(telemetry, 'karpenter_cluster_state_synced', 1);
  gaugeOne(telemetry, 'karpenter_cluster_state_node_count', nodes.length);
  gaugeOne(telemetry, 'karpenter_scheduler_queue_depth', pending.length);
  gaugeOne(telemetry, 'mortise_nodepools_pods', countMovablePods(nodes, pods));
  const waiting = withoutPodsWaitingForHours(pending, pools, now);
  gaugeOne(telemetry, 'mortise_pods_pending_oldest_seconds', computeOldestSeconds(waiting, now));

  const byPool = Map.groupBy(nodes, ({ labels }) => labels[NODEPOOL_LABEL] ?? '');
  telemetry.gauge(
    'karpenter_nodepools_usage',
    pools.flatMap(({ name }) => listUsage(name, byPool.get(name) ?? [])),
  );
  telemetry.gauge(
    'karpenter_nodepools_limit',
    pools.flatMap(({ name, limits }) =>
      Object.entries(limits).map(([resource, amount]) => ({
        labels: { nodepool: name, resource_type: resource },
        value: toBaseUnits(resource, amount),
      })),
    ),
  );
}

function countMovablePods(nodes: readonly Node[], pods: readonly Pod[]): number {
  const managed = new Set(nodes.filter(isManagedNode).map(({ name }) => name));
  const isOnManaged = ({ nodeName = '' }: Pod): boolean => managed.has(nodeName);
  return pods.filter((pod) => isOnManaged(pod) && isReschedulable(pod)).length;
}

const computeOldestSeconds = (pending: readonly Pod[], now: EpochMs): number => {
  const since = pending.map(({ unschedulableSince, createdAt }) => unschedulableSince ?? createdAt);
  return Math.max(now - Math.min(now, ...since), 0) / SECOND_MS;
};

function listUsage(nodepool: string, nodes: readonly Node[]) {
  const sum = (resource: 'cpu' | 'memory'): number =>
    nodes.reduce((total, { capacity }) => total + (capacity[resource] ?? 0), 0);
  return [
    { labels: { nodepool, resource_type: 'cpu' }, value: toBaseUnits('cpu', sum('cpu')) },
    { labels: { nodepool, resource_type: 'memory' }, value: toBaseUnits('memory', sum('memory')) },
    { labels: { nodepool, resource_type: 'nodes' }, value: nodes.length },
  ];
}

/**
 * Removes the pods that wait for the hours of a NodePool, as its annotation wants: every pool whose
 * taints, labels and requirements suit the pod is in its off hours.
 */
function withoutPodsWaitingForHours(pods: readonly Pod[], pools: readonly NodePool[], now: EpochMs): readonly Pod[] {
  const { off = [], on = [] } = Object.groupBy(pools, (pool) => (findOffHours(pool, now) ? 'off' : 'on'));
  if (off.length === 0) return pods;
  const [suitOff, suitOn] = [off.map(createCheck), on.map(createCheck)];
  return pods.filter((pod) => suitOn.some((suits) => suits(pod)) || !suitOff.some((suits) => suits(pod)));
}

function createCheck({ name, labels, requirements, taints }: NodePool): (pod: Pod) => boolean {
  const open = intersectRequirements(
    toRequirements(requirements),
    toLabelRequirements({ ...labels, [NODEPOOL_LABEL]: name }),
  );
  return (pod) => mayRunOnNewNode(pod, open, taints);
}
