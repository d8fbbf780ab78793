import { INITIALIZED_LABEL, NODECLASS_LABEL, NODEPOOL_LABEL } from '../../../model/labels.ts';
import type { Node } from '../../../model/nodes/node.ts';
import { ownValue } from '../../../model/own-value.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { Telemetry } from '../../../ports/ports.ts';
import { toAges, toCounts, toSeconds } from './condition-samples.ts';
import { createConditionTracker, type ObservedCondition, type TrackedObject } from './condition-tracker.ts';

/** Measures the conditions and the deletion of Nodes. */
export interface NodeConditions {
  observe(nodes: readonly Node[], now: EpochMs): void;
  gauge(now: EpochMs): void;
  clear(): void;
}

interface TrackedNode extends TrackedObject {
  readonly labels: ReturnType<typeof toNodeLabels>;
}

export function createNodeConditions(telemetry: Telemetry): NodeConditions {
  const tracker = createConditionTracker<TrackedNode>();
  let terminating = new Map<string, Node & { readonly deletionAt: EpochMs }>();

  return {
    observe(nodes, now) {
      for (const { object, before, after } of tracker.observe(nodes.map(toTracked), now)) {
        const { type, status, reason } = after;
        telemetry.count('operator_node_status_condition_transitions_total', {
          ...{ type, status, reason },
          ...object.labels,
        });
        telemetry.observe(
          'operator_node_status_condition_transition_seconds',
          { type, status: before.status, to_status: status, ...object.labels },
          toSeconds(before.since, after.since),
        );
      }
      const present = new Set(nodes.map(({ uid }) => uid));
      for (const [uid, node] of terminating) {
        if (!present.has(uid)) recordTermination(telemetry, node, now);
      }
      terminating = new Map(nodes.filter(isTerminating).map((node) => [node.uid, node]));
    },
    gauge(now) {
      const conditions = tracker.list().map(({ object: { labels }, condition }) => ({ condition, labels }));
      telemetry.gauge('operator_node_status_condition_count', toCounts(conditions));
      telemetry.gauge('operator_node_status_condition_current_status_seconds', toAges(conditions, now));
      telemetry.gauge(
        'operator_node_termination_current_time_seconds',
        [...terminating.values()].map((node) => ({
          labels: { name: node.name, ...toNodeLabels(node) },
          value: toSeconds(node.deletionAt, now),
        })),
      );
    },
    clear() {
      tracker.clear();
      terminating = new Map();
    },
  };
}

const isTerminating = (node: Node): node is Node & { readonly deletionAt: EpochMs } => node.deletionAt !== undefined;

function recordTermination(telemetry: Telemetry, node: Node & { readonly deletionAt: EpochMs }, now: EpochMs): void {
  const labels = toNodeLabels(node);
  const took = toSeconds(node.deletionAt, now);
  telemetry.observe('operator_node_termination_duration_seconds', labels, took);
  const nodepool = labels.karpenter_sh_nodepool;
  telemetry.observe('karpenter_nodes_termination_duration_seconds', { nodepool }, took);
}

// A Node object is replaced when it changes, so its identity is a safe key.
const trackedNodes = new WeakMap<Node, TrackedNode>();

function toTracked(node: Node): TrackedNode {
  const last = trackedNodes.get(node);
  if (last) return last;
  const tracked = {
    name: node.name,
    labels: toNodeLabels(node),
    conditions: listConditions(node),
  };
  trackedNodes.set(node, tracked);
  return tracked;
}

/** Decisions read no reasons of Node conditions, and no times of healthy ones. */
function listConditions({ ready, troubles = [] }: Node): readonly ObservedCondition[] {
  const unhealthy = troubles.map(({ condition: type, status, since }) => ({
    ...{ type, status, since },
    reason: '',
  }));
  if (unhealthy.some(({ type }) => type === 'Ready')) return unhealthy;
  return [{ type: 'Ready', status: ready ? 'True' : 'Unknown', reason: '' }, ...unhealthy];
}

function toNodeLabels({ labels }: Node) {
  const read = (key: string): string => ownValue(labels, key) ?? '';
  return {
    karpenter_sh_nodepool: read(NODEPOOL_LABEL),
    karpenter_k8s_aws_ec2nodeclass: read(NODECLASS_LABEL),
    karpenter_sh_initialized: read(INITIALIZED_LABEL),
  };
}
