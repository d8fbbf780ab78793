import { shortHash } from '../../model/hash.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import type { EpochMs } from '../../model/time.ts';
import { estimateWork } from '../pods/pod-complexity.ts';
import { groupByWorkload, type Workload } from './plan-batch.ts';

/** The pods that are planned, and the pods that are left to the next plan. */
interface FairShare {
  readonly pods: readonly Pod[];
  readonly deferred: readonly Pod[];
}

/** A workload with the estimated work of its pods. */
interface EstimatedWorkload extends Workload {
  readonly work: number;
}

/** The workloads of one namespace that are not selected yet, in the order of selection. */
interface NamespaceQueue {
  readonly waiting: EstimatedWorkload[];
  selectedWork: number;
}

/**
 * Selects the workloads that a plan with too little time plans first. Namespaces take turns: the one
 * whose selected workloads are the least work with one more is next, so that the pods of one namespace cannot keep
 * the pods of another from being planned. Within a namespace every other workload is chosen by
 * priority, work and age, and every other one at random, differently for each plan, so that each is
 * planned at some time.
 *
 * @param share - the part of the estimated work that is selected; at least one workload is
 * @param measuredWork - operations that an attempt to plan them took, by pod
 * @param now - seed of the random choice
 */
export function selectFairShare(
  pods: readonly Pod[],
  share: number,
  measuredWork: ReadonlyMap<PodKey, number>,
  now: EpochMs,
): FairShare {
  const workloads = groupByWorkload(pods).map(
    (one): EstimatedWorkload => ({ ...one, work: estimateWorkload(one, measuredWork) }),
  );
  const target = share * workloads.reduce((total, { work }) => total + work, 0);
  const byNamespace = Map.groupBy(workloads, ({ members }) => members[0]?.namespace ?? '');
  const queues = [...byNamespace]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, own]): NamespaceQueue => ({ waiting: sortForSelection(own, now), selectedWork: 0 }));
  const selected = new Set<Pod>();
  for (let work = 0; work < target; ) {
    const queue = findLeastServed(queues);
    const next = queue?.waiting.shift();
    if (!queue || !next) break;
    queue.selectedWork += next.work;
    work += next.work;
    for (const pod of next.members) selected.add(pod);
  }
  return {
    pods: pods.filter((pod) => selected.has(pod)),
    deferred: pods.filter((pod) => !selected.has(pod)),
  };
}

/** Pods of one template are one class, and cost little more than one pod. */
const WORK_PER_POD = 0.1;

/** Operations of one unit of the estimate. */
const OPERATIONS_PER_UNIT = 300;

function estimateWorkload({ members }: Workload, measuredWork: ReadonlyMap<PodKey, number>): number {
  const specs = new Map(members.map((pod) => [pod.spec, podKey(pod)]));
  let work = WORK_PER_POD * members.length;
  for (const [spec, pod] of specs)
    work += Math.max(estimateWork(spec), (measuredWork.get(pod) ?? 0) / OPERATIONS_PER_UNIT);
  return work;
}

const findLeastServed = (queues: readonly NamespaceQueue[]): NamespaceQueue | undefined => {
  let leastServed: NamespaceQueue | undefined;
  let minWork = Number.POSITIVE_INFINITY;
  for (const queue of queues) {
    const [next] = queue.waiting;
    if (!next || queue.selectedWork + next.work >= minWork) continue;
    leastServed = queue;
    minWork = queue.selectedWork + next.work;
  }
  return leastServed;
};

/** Workloads whose work differs by less than this factor count as equal. */
const WORK_STEP = 4;

function sortForSelection(workloads: readonly EstimatedWorkload[], now: EpochMs): EstimatedWorkload[] {
  const workClass = ({ work }: EstimatedWorkload) => Math.floor(Math.log(1 + work) / Math.log(WORK_STEP));
  const byPriority = workloads.toSorted(
    (a, b) =>
      b.priority - a.priority || workClass(a) - workClass(b) || a.oldest - b.oldest || (a.name < b.name ? -1 : 1),
  );
  const atRandom = workloads
    .map((workload) => ({ workload, key: shortHash(`${now} ${workload.name}`) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ workload }) => workload);
  const alternating = byPriority.flatMap((one, position) => [one, atRandom[position] ?? one]);
  return [...new Set(alternating)];
}
