import type { HostPort, Pod, PodSpec } from '../../../shared/model/pod.ts';
import { untoleratedTaint } from '../../../shared/model/taints.ts';
import { meetsAffinity } from '../checker/node-rules.ts';
import type { SchedulerNode } from './scheduler-nodes.ts';

/** What the scheduler would say of a pod on one node, whatever is around it. */
export function nodeRefusal(pod: Pod, state: SchedulerNode): string | undefined {
  if (!mayEnter(pod.spec, state)) return "node(s) didn't match affinity or taints";
  const short = Object.entries(pod.spec.requests).find(
    ([resource, amount]) =>
      amount > 0 &&
      (state.requested.get(resource) ?? 0) + amount > (state.node.allocatable[resource] ?? 0),
  );
  if (short) return `Insufficient ${short[0]}`;
  const taken = pod.spec.hostPorts.some((port) =>
    state.pods.some(({ spec }) => spec.hostPorts.some((other) => clash(port, other))),
  );
  return taken ? "node(s) didn't have free ports" : undefined;
}

// Labels and taints of a node never change here, and pods of a template share their spec.
const verdicts = new WeakMap<PodSpec, WeakMap<SchedulerNode, boolean>>();

function mayEnter(spec: PodSpec, state: SchedulerNode): boolean {
  const known = verdicts.get(spec) ?? new WeakMap<SchedulerNode, boolean>();
  verdicts.set(spec, known);
  const verdict = known.get(state) ?? (matchesNode(spec, state) && toleratesNode(spec, state));
  known.set(state, verdict);
  return verdict;
}

export const matchesNode = (spec: PodSpec, { node }: SchedulerNode): boolean =>
  meetsAffinity(spec, node.labels);

export const toleratesNode = ({ tolerations }: PodSpec, { node }: SchedulerNode): boolean => {
  const hard = node.taints.filter(({ effect }) => effect !== 'PreferNoSchedule');
  return untoleratedTaint(hard, tolerations) === undefined;
};

const EVERYWHERE: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

const clash = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port &&
  a.protocol === b.protocol &&
  (a.ip === b.ip || EVERYWHERE.has(a.ip) || EVERYWHERE.has(b.ip));
