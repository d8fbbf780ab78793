import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { MAKE_ROOM_ANNOTATION } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import { ownValue } from '../../model/own-value.ts';
import { isAwaitingNode, isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type DaemonSet, isDaemon } from '../../model/pods/workload.ts';
import { formatAmount } from '../../model/quantity.ts';
import { toLabelRequirements } from '../../model/requirements/requirements.ts';
import { addResources, type Resources } from '../../model/resources.ts';
import { formatInstant, MINUTE_MS } from '../../model/time.ts';
import { runsOnNode } from '../../scheduling/instance-types/daemon-overhead.ts';

/**
 * A DaemonSet that is created, or grows, while nodes are full: its pods on these nodes are pending,
 * and no new node helps them, because each is meant for one node. Such a node is drifted: a node that
 * was launched now would have room for the DaemonSet. So it is replaced as any drifted node is,
 * within the budgets and windows for `Drifted`, its replacement first.
 */
export interface DaemonShortage {
  /** `namespace/name`. */
  readonly daemonSet: string;
  readonly resource: string;
  readonly requested: number;
  readonly free: number;
}

/** kube-scheduler may make room by preemption, and pods that end soon may leave room. */
const MAKE_ROOM_AFTER_MS = 3 * MINUTE_MS;

type ShortageFacts = Pick<ClusterSnapshot, 'daemonSets' | 'pods' | 'nodes' | 'takenAt'>;

/** Finds the nodes that have no room for a DaemonSet whose pods have been pending for long enough. */
export function findDaemonShortages(facts: ShortageFacts): ReadonlyMap<string, DaemonShortage> {
  const { takenAt } = facts;
  const due = listPendingDaemons(facts).filter(
    ({ daemonSet, since }) => makesRoom(daemonSet) && takenAt >= since + MAKE_ROOM_AFTER_MS,
  );
  return new Map(due.length > 0 ? listShortages(facts, due) : []);
}

/** Lists the nodes without room for one of the DaemonSets, by name. */
function listShortages(
  { nodes, pods }: ShortageFacts,
  pending: readonly PendingDaemon[],
): readonly (readonly [string, DaemonShortage])[] {
  const podsByNode = Map.groupBy(pods, ({ nodeName = '' }) => nodeName);
  return nodes.flatMap((node) => {
    const shortage = findShortage(node, podsByNode.get(node.name) ?? [], pending);
    return shortage ? [[node.name, shortage] as const] : [];
  });
}

/** False if the DaemonSet wants its pods to wait until its nodes have room. */
const makesRoom = ({ annotations }: DaemonSet): boolean => ownValue(annotations, MAKE_ROOM_ANNOTATION) !== 'false';

interface PendingDaemon {
  readonly daemonSet: DaemonSet;
  /** The requests of its pods, to which admission may have added some. */
  readonly requests: Resources;
  /** When the first of its pending pods was unschedulable. */
  readonly since: number;
}

/** Lists the DaemonSets of which pods are pending, by name. Pods that others make room for do not count. */
function listPendingDaemons({ daemonSets, pods }: ShortageFacts): readonly PendingDaemon[] {
  const pending = pods.filter((pod) => isDaemon(pod) && isWaiting(pod) && pod.unschedulableSince !== undefined);
  if (pending.length === 0) return [];
  return daemonSets
    .flatMap((daemonSet): PendingDaemon[] => {
      const own = pending.filter((pod) => belongsTo(pod, daemonSet));
      const newest = own.toSorted((a, b) => b.createdAt - a.createdAt)[0];
      if (!newest) return [];
      const since = Math.min(...own.flatMap(({ unschedulableSince }) => unschedulableSince ?? []));
      return [{ daemonSet, requests: newest.spec.requests, since }];
    })
    .toSorted((a, b) => (toKey(a.daemonSet) < toKey(b.daemonSet) ? -1 : 1));
}

const isWaiting = (pod: Pod): boolean =>
  isAwaitingNode(pod) && pod.nominatedNodeName === undefined && pod.spec.schedulingGates.length === 0;

const belongsTo = ({ namespace, owner }: Pod, daemonSet: DaemonSet): boolean =>
  namespace === daemonSet.namespace && owner?.name === daemonSet.name;

const toKey = ({ namespace, name }: DaemonSet): string => `${namespace}/${name}`;

/** Finds the first DaemonSet that has no pod on the node and does not fit besides the node's pods. */
function findShortage(node: Node, pods: readonly Pod[], pending: readonly PendingDaemon[]): DaemonShortage | undefined {
  const present = pods.filter((pod) => !isTerminal(pod));
  let used = addResources(...present.map(({ spec }) => spec.requests));
  const labels = toLabelRequirements(node.labels);
  for (const { daemonSet, requests } of pending) {
    if (present.some((pod) => isDaemon(pod) && belongsTo(pod, daemonSet))) continue;
    if (!runsOnNode(daemonSet.template, labels, node.taints)) continue;
    for (const [resource, requested] of Object.entries(requests)) {
      const free = (ownValue(node.allocatable, resource) ?? 0) - (ownValue(used, resource) ?? 0);
      if (requested > free) return { daemonSet: toKey(daemonSet), resource, requested, free };
    }
    used = addResources(used, requests);
  }
  return undefined;
}

/** Describes why the node has to be replaced. The free amount changes with each pod, so it is left out. */
export const describeShortage = ({ daemonSet, resource, requested }: DaemonShortage): string =>
  `DaemonSet ${daemonSet} needs ${formatAmount(resource, requested)} ${resource}, more than it has free`;

/** Why a pending pod of a DaemonSet waits, and what Mortise does about it. */
export interface DaemonWait {
  readonly why: string;
  readonly next: string;
}

/** Explains the wait of a pending pod of a DaemonSet. */
export function explainDaemonWait(
  pod: Pod,
  snapshot: ShortageFacts & Pick<ClusterSnapshot, 'claims' | 'pools'>,
): DaemonWait {
  const daemonSet = snapshot.daemonSets.find((one) => belongsTo(pod, one));
  const pending = listPendingDaemons(snapshot).filter((one) => one.daemonSet === daemonSet);
  const shortages = listShortages(snapshot, pending);
  const [first] = shortages;
  if (!daemonSet || !first) {
    return {
      why: 'it belongs to one node, which has a taint, or no room, for a reason other than resources',
      next: 'It runs as soon as kube-scheduler can bind it to that node.',
    };
  }
  const [name, { resource, requested, free }] = first;
  const others = shortages.length - 1;
  const more = others > 0 ? `; ${others} more node${others === 1 ? ' has' : 's have'} none` : '';
  const room = `${formatAmount(resource, Math.max(0, free))} of ${formatAmount(resource, requested)} ${resource}`;
  return {
    why: `node ${name} has no room for its DaemonSet, ${room} free${more}`,
    next: describeNext(daemonSet, name, pod, snapshot),
  };
}

function describeNext(
  daemonSet: DaemonSet,
  node: string,
  { unschedulableSince = 0 }: Pod,
  { claims, pools }: Pick<ClusterSnapshot, 'claims' | 'pools'>,
): string {
  if (!makesRoom(daemonSet)) {
    return `It runs as soon as its node has room: ${MAKE_ROOM_ANNOTATION} of the DaemonSet is false.`;
  }
  const claim = claims.find(({ nodeName }) => nodeName === node);
  const pool = pools.find(({ name }) => name === claim?.pool);
  if (!pool || pool.replicas !== undefined) {
    return 'It runs as soon as its node has room: Mortise replaces only nodes of NodePools without replicas.';
  }
  const from = formatInstant(unschedulableSince + MAKE_ROOM_AFTER_MS);
  return `From ${from} on, such nodes are replaced by nodes with room, as the budgets for drift allow; mortise explain node ${node} says when.`;
}
