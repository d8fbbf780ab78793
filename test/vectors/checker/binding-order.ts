import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { type Pod, podKey } from '../../../shared/model/pods/pod.ts';
import { type FinalNode, isCountedInDomain } from './final-nodes.ts';
import { type BindingCondition, type BoundPodCounts, createBindingConditions, getDomain } from './topology-rules.ts';

/** A planned pod that is not bound yet, with its conditions. */
interface WaitingPod {
  readonly pod: Pod;
  readonly node: FinalNode;
  readonly conditions: readonly BindingCondition[];
}

/** Number of orders that are tried, because the order may matter if selectors overlap. */
const MAX_ORDERS = 20;

/**
 * Binds the planned pods one by one as soon as their spread and affinity allow, as kube-scheduler
 * would. Reports the pods that cannot be bound in any tried order.
 */
export function findBindingViolations(snapshot: ClusterSnapshot, nodes: readonly FinalNode[]): string[] {
  const counters = new Map<string, BoundPodCounts>();
  const waiting = nodes.flatMap((node) =>
    node.arriving.map(
      (pod): WaitingPod => ({
        pod,
        node,
        conditions: createBindingConditions(pod, snapshot, nodes, counters),
      }),
    ),
  );
  if (waiting.every(({ conditions }) => conditions.length === 0)) return [];

  const groups = groupLargestFirst(waiting, snapshot.pods);
  let urgent: WaitingPod[] = [];
  let objections: string[] = [];
  for (let order = 0; order < MAX_ORDERS; order++) {
    startOver(counters, nodes);
    const remaining = bindInOrder([urgent, ...groups], (one) => {
      for (const counter of counters.values()) count(counter, one.pod, one.node);
    });
    if (remaining.length === 0) return [];
    if (order === 0) objections = remaining.map(toViolation);
    urgent = [...remaining, ...urgent.filter((one) => !remaining.includes(one))];
  }
  return objections;
}

function toViolation({ pod, node, conditions }: WaitingPod): string {
  const why = conditions.flatMap((condition) => condition(node) ?? []);
  return `${podKey(pod)} cannot be bound to ${node.name}: ${why.join(', ')}`;
}

/** Groups equal pods in the order of Karpenter's queue; pods with affinity to others come last. */
function groupLargestFirst(waiting: readonly WaitingPod[], pods: readonly Pod[]): WaitingPod[][] {
  const position = new Map(pods.map((pod, index) => [pod, index]));
  const ordered = waiting.toSorted(
    (a, b) =>
      Number(a.pod.spec.podAffinity.length > 0) - Number(b.pod.spec.podAffinity.length > 0) ||
      (b.pod.spec.requests.cpu ?? 0) - (a.pod.spec.requests.cpu ?? 0) ||
      (b.pod.spec.requests.memory ?? 0) - (a.pod.spec.requests.memory ?? 0) ||
      (position.get(a.pod) ?? 0) - (position.get(b.pod) ?? 0),
  );
  return [...Map.groupBy(ordered, ({ pod }) => JSON.stringify([pod.labels, pod.spec])).values()];
}

function startOver(counters: ReadonlyMap<string, BoundPodCounts>, nodes: readonly FinalNode[]): void {
  for (const counter of counters.values()) {
    counter.counts.clear();
    for (const node of nodes) for (const pod of node.bound) count(counter, pod, node);
  }
}

function count({ audience, isEligible, counts }: BoundPodCounts, pod: Pod, node: FinalNode): void {
  if (!isCountedInDomain(pod) || !audience.includes(pod) || !isEligible(node)) return;
  const domain = getDomain(node, audience.key);
  if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
}

/**
 * Binds group by group. Pods that cannot be bound yet are tried again after each bound pod.
 *
 * @returns the pods that are not bound
 */
function bindInOrder(groups: readonly (readonly WaitingPod[])[], bind: (one: WaitingPod) => void): WaitingPod[] {
  const bound = new Set<WaitingPod>();
  let held: WaitingPod[] = [];
  const bindOf = (some: readonly WaitingPod[]): WaitingPod[] =>
    some.filter((one) => {
      if (bound.has(one)) return false;
      if (one.conditions.some((condition) => condition(one.node) !== undefined)) return true;
      bind(one);
      bound.add(one);
      return false;
    });
  const bindHeld = () => {
    for (let before = -1; before !== held.length; ) {
      before = held.length;
      held = bindOf(held);
    }
  };

  for (const group of groups) {
    let remaining: readonly WaitingPod[] = group;
    for (let before = -1; before !== remaining.length; ) {
      before = remaining.length;
      remaining = remaining.filter((one) => {
        const [still] = bindOf([one]);
        if (!still) bindHeld();
        return still !== undefined;
      });
    }
    held.push(...remaining);
  }
  bindHeld();
  return held;
}
