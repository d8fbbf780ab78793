import type { Node } from '../../model/nodes/node.ts';
import type { OwnerReference, Pod, PodTemplate } from '../../model/pods/pod.ts';
import { type DaemonSet, isDaemon } from '../../model/pods/workload.ts';
import type { Toleration } from '../../model/requirements/taints.ts';
import { findUntoleratedTaint } from '../../model/requirements/taints.ts';
import { putPod, terminatePod, workloadKey } from '../control-plane/api-server.ts';
import type { NodeFit } from '../scheduler/node-fit.ts';
import { createNodeFit } from '../scheduler/node-fit.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { type ControllerContext, createReconcileQueue, REACTION_MS } from './controller-runtime.ts';
import { ownerReferenceOf } from './workload-owner.ts';

/**
 * Tolerations that the controller adds to every daemon pod. @see kubernetes,
 * AddOrUpdateDaemonPodTolerations
 */
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

/** Runs one pod of each DaemonSet on each node that its template matches. */
export function startDaemonSetController(context: ControllerContext, scheduler: Scheduler): void {
  const { seed, clock, api, factory } = context;
  const daemons = new Map<string, Daemon>();
  /** DaemonSet pods by `<owner uid> <node>`. */
  const podsBySlot = new Map<string, Pod>();
  const nodeByPodUid = new Map<string, string>();
  const reconcileNode = (node: string): void => {
    for (const daemon of daemons.values()) reconcile(daemon, node);
  };
  const queue = createReconcileQueue(clock, reconcileNode, REACTION_MS);

  api.workloads.watch(({ after }) => {
    if (after?.kind !== 'DaemonSet') return;
    daemons.set(workloadKey(after), prepareDaemon(after));
    for (const { name } of api.nodes.list()) queue.request(name, REACTION_MS);
  });
  api.nodes.watch(({ before, after }) => queue.request((after ?? before)?.name ?? '', REACTION_MS));
  api.pods.watch(({ before, after }) => {
    // A pod that appears on its node ran there before the simulation.
    if (!before && after?.nodeName !== undefined && isDaemon(after)) {
      nodeByPodUid.set(after.uid, after.nodeName);
    }
    const node = nodeByPodUid.get((after ?? before)?.uid ?? '');
    const slot = node && slotKey((after ?? before)?.owner?.uid, node);
    if (node === undefined || slot === undefined) return;
    if (after) podsBySlot.set(slot, after);
    else {
      podsBySlot.delete(slot);
      nodeByPodUid.delete(before?.uid ?? '');
      queue.request(node, REACTION_MS);
    }
  });

  function reconcile(daemon: Daemon, nodeName: string): void {
    const owner = ownerReferenceOf(seed, daemon.set);
    const node = api.nodes.get(nodeName);
    const pod = podsBySlot.get(slotKey(owner.uid, nodeName));
    if (pod && !(node && canStay(daemon, node))) remove(pod);
    if (!pod && node && shouldRun(daemon, node)) create(daemon, owner, nodeName);
  }

  function create(daemon: Daemon, owner: OwnerReference, nodeName: string): void {
    const { namespace } = daemon.set;
    const created = factory.create({ namespace, template: daemon.template, owner });
    nodeByPodUid.set(created.uid, nodeName);
    scheduler.pin(created, nodeName);
    putPod(api.pods, created);
  }

  function remove(pod: Pod): void {
    if (pod.deletionAt !== undefined) return;
    terminatePod(api.pods, pod, clock.now(), pod.spec.terminationGracePeriodMs);
  }
}

const slotKey = (owner: string | undefined, node: string): string => `${owner} ${node}`;

function prepareDaemon(set: DaemonSet): Daemon {
  const { spec } = set.template;
  const tolerations = [...spec.tolerations, ...DAEMON_TOLERATIONS];
  const template = { ...set.template, spec: { ...spec, tolerations } };
  return { set, template, fit: createNodeFit(template.spec) };
}

const shouldRun = ({ fit }: Daemon, node: Node): boolean => fit.matchesAffinity(node) && fit.tolerates(node);

/** Only NoExecute taints evict a running daemon pod. */
const canStay = ({ fit, template }: Daemon, node: Node): boolean =>
  fit.matchesAffinity(node) &&
  findUntoleratedTaint(
    node.taints.filter(({ effect }) => effect === 'NoExecute'),
    template.spec.tolerations,
  ) === undefined;
