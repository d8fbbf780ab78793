import type { Node } from '../model/node.ts';
import type { OwnerReference, Pod, PodTemplate } from '../model/pod.ts';
import type { Toleration } from '../model/taints.ts';
import { untoleratedTaint } from '../model/taints.ts';
import type { DaemonSet } from '../model/workload.ts';
import { putPod, terminatePod, workloadKey } from './api-server.ts';
import { type ControllerTools, createReconcileQueue, REACTION_MS } from './reconcile-queue.ts';
import type { NodeFit } from './node-fit.ts';
import { createNodeFit } from './node-fit.ts';
import type { Scheduler } from './scheduler.ts';
import { ownerOf } from './workload-owner.ts';

/** What the controller adds to every daemon pod. @see kubernetes, AddOrUpdateDaemonPodTolerations */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

interface Daemon {
  readonly set: DaemonSet;
  readonly template: PodTemplate;
  readonly fit: NodeFit;
}

/** One pod of each DaemonSet on each node that its template matches. */
export function startDaemonSetController(tools: ControllerTools, scheduler: Scheduler): void {
  const { seed, clock, api, factory } = tools;
  const daemons = new Map<string, Daemon>();
  /** The pod of a DaemonSet on a node, by `<owner uid> <node>`. */
  const placed = new Map<string, Pod>();
  const nodeOfPod = new Map<string, string>();
  const look = (node: string): void => {
    for (const daemon of daemons.values()) reconcile(daemon, node);
  };
  const queue = createReconcileQueue(clock, look, REACTION_MS);

  api.workloads.watch(({ after }) => {
    if (after?.kind !== 'DaemonSet') return;
    daemons.set(workloadKey(after), readDaemon(after));
    for (const { name } of api.nodes.list()) queue.request(name, REACTION_MS);
  });
  api.nodes.watch(({ before, after }) => queue.request((after ?? before)?.name ?? '', REACTION_MS));
  api.pods.watch(({ before, after }) => {
    const node = nodeOfPod.get((after ?? before)?.uid ?? '');
    const slot = node && slotOf((after ?? before)?.owner?.uid, node);
    if (node === undefined || slot === undefined) return;
    if (after) placed.set(slot, after);
    else {
      placed.delete(slot);
      nodeOfPod.delete(before?.uid ?? '');
      queue.request(node, REACTION_MS);
    }
  });

  function reconcile(daemon: Daemon, nodeName: string): void {
    const owner = ownerOf(seed, daemon.set);
    const node = api.nodes.get(nodeName);
    const pod = placed.get(slotOf(owner.uid, nodeName));
    if (pod && !(node && mayStay(daemon, node))) remove(pod);
    if (!pod && node && shouldRun(daemon, node)) create(daemon, owner, nodeName);
  }

  function create(daemon: Daemon, owner: OwnerReference, nodeName: string): void {
    const { namespace } = daemon.set;
    const created = factory.create({ namespace, template: daemon.template, owner });
    nodeOfPod.set(created.uid, nodeName);
    scheduler.pin(created, nodeName);
    putPod(api.pods, created);
  }

  function remove(pod: Pod): void {
    if (pod.deletionAt !== undefined) return;
    terminatePod(api.pods, pod, clock.now(), pod.spec.terminationGracePeriodMs);
  }
}

const slotOf = (owner: string | undefined, node: string): string => `${owner} ${node}`;

function readDaemon(set: DaemonSet): Daemon {
  const { spec } = set.template;
  const tolerations = [...spec.tolerations, ...DAEMON_TOLERATIONS];
  const template = { ...set.template, spec: { ...spec, tolerations } };
  return { set, template, fit: createNodeFit(template.spec) };
}

const shouldRun = ({ fit }: Daemon, node: Node): boolean =>
  fit.matchesAffinity(node) && fit.tolerates(node);

/** A taint that only forbids scheduling leaves alone what runs. */
const mayStay = ({ fit, template }: Daemon, node: Node): boolean =>
  fit.matchesAffinity(node) &&
  untoleratedTaint(
    node.taints.filter(({ effect }) => effect === 'NoExecute'),
    template.spec.tolerations,
  ) === undefined;
