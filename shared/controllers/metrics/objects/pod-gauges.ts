import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '../../../model/labels.ts';
import type { MetricLabels } from '../../../model/metrics/metrics.ts';
import { isManagedNode, type Node } from '../../../model/nodes/node.ts';
import { ownValue } from '../../../model/own-value.ts';
import type { Pod } from '../../../model/pods/pod.ts';
import type { ClusterObjects } from '../../../ports/cluster.ts';
import type { Telemetry } from '../../../ports/ports.ts';

/** Gauges one series for each pod, with its node. */
export function gaugePods(telemetry: Telemetry, { nodes, pods }: Pick<ClusterObjects, 'nodes' | 'pods'>): void {
  const labelsOfNodes = new Map(nodes.map((node) => [node.name, toNodeLabels(node)]));
  telemetry.gauge(
    'karpenter_pods_state',
    pods.map((pod) => {
      const nodeLabels = labelsOfNodes.get(pod.nodeName ?? '') ?? NO_NODE;
      return { labels: { ...toPodLabels(pod), ...nodeLabels }, value: 1 };
    }),
  );
}

type StateLabels = MetricLabels<'karpenter_pods_state'>;
type NodePart = 'nodepool' | 'zone' | 'arch' | 'capacity_type' | 'instance_type' | 'managed';

const toPodLabels = (pod: Pod): Omit<StateLabels, NodePart> => ({
  name: pod.name,
  namespace: pod.namespace,
  owner: pod.owner ? `${pod.owner.kind}/${pod.owner.name}` : '',
  node: pod.nodeName ?? '',
  scheduled: `${pod.nodeName !== undefined}`,
  phase: pod.phase,
  ready: `${pod.ready}`,
});

function toNodeLabels(node: Node): Pick<StateLabels, NodePart> {
  const read = (key: string): string => ownValue(node.labels, key) ?? '';
  return {
    nodepool: read(NODEPOOL_LABEL),
    zone: read(ZONE_LABEL),
    arch: read(ARCH_LABEL),
    capacity_type: read(CAPACITY_TYPE_LABEL),
    instance_type: read(INSTANCE_TYPE_LABEL),
    managed: `${isManagedNode(node)}`,
  };
}

const NO_NODE: Pick<StateLabels, NodePart> = {
  nodepool: '',
  zone: '',
  arch: '',
  capacity_type: '',
  instance_type: '',
  managed: 'false',
};
