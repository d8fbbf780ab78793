import { getOrCreate } from '../../../shared/model/memo.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { HostPort, Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import { findUntoleratedTaint } from '../../../shared/model/requirements/taints.ts';
import { meetsAffinity } from '../checker/node-rules.ts';
import type { SchedulerNode } from './scheduler-nodes.ts';

/**
 * Returns why the node itself is not feasible for the pod, without regard to other nodes; undefined
 * if it is.
 */
export function findNodeRefusal(pod: Pod, state: SchedulerNode): string | undefined {
  if (!matchesLabelsAndTaints(pod.spec, state)) return "node(s) didn't match affinity or taints";
  const lacking = Object.entries(pod.spec.requests).find(
    ([resource, amount]) =>
      amount > 0 && (state.requested.get(resource) ?? 0) + amount > (ownValue(state.node.allocatable, resource) ?? 0),
  );
  if (lacking) return `Insufficient ${lacking[0]}`;
  const hasPortConflict = pod.spec.hostPorts.some((port) =>
    state.pods.some(({ spec }) => spec.hostPorts.some((other) => conflicts(port, other))),
  );
  return hasPortConflict ? "node(s) didn't have free ports" : undefined;
}

// Caches the result for labels and taints: they never change here, and pods of a template share
// their spec.
const cachedMatches = new WeakMap<PodSpec, WeakMap<SchedulerNode, boolean>>();

function matchesLabelsAndTaints(spec: PodSpec, state: SchedulerNode): boolean {
  const cached = getOrCreate(cachedMatches, spec, () => new WeakMap());
  return getOrCreate(cached, state, () => matchesNode(spec, state) && toleratesNode(spec, state));
}

export const matchesNode = (spec: PodSpec, { node }: SchedulerNode): boolean => meetsAffinity(spec, node.labels);

export const toleratesNode = ({ tolerations }: PodSpec, { node }: SchedulerNode): boolean => {
  const hardTaints = node.taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
  return findUntoleratedTaint(hardTaints, tolerations) === undefined;
};

const WILDCARD_IPS: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

const conflicts = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || WILDCARD_IPS.has(a.ip) || WILDCARD_IPS.has(b.ip));
