import { CAPACITY_TYPE_LABEL, EKS_CAPACITY_TYPE_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import {
  namesOnDemandShare,
  type OnDemandShare,
  readOnDemandShare,
  type SharedCapacity,
} from '../../model/offerings/on-demand-share.ts';
import { ownValue } from '../../model/own-value.ts';
import { isReschedulable } from '../../model/pods/disruption-pods.ts';
import { findTemplateOwner, type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { allowsValue } from '../../model/requirements/requirement.ts';
import { CPU } from '../../model/resources.ts';
import { at } from '../data-structures/resource-vectors.ts';
import { type ExistingNode, findPossibleRequirements } from './existing-nodes.ts';
import { memoizePerRunningPods, type Problem } from './problem.ts';

// The present capacity of workloads and NodePools with a share on demand.

/** The pods of a workload that run or have a claim, and whether each is on demand. */
export type RunningPods = ReadonlyMap<PodKey, boolean>;

/** Names the workload whose pods share the annotation: a Deployment, whichever ReplicaSet is newest. */
export const toShareOwner = (pod: Pod): string => `${pod.namespace}/${findTemplateOwner(pod)}`;

/** The share of the pod's workload; `undefined` if it has none or an invalid one. */
export const readPodShare = ({ annotations }: Pod): OnDemandShare | undefined =>
  namesOnDemandShare(annotations) ? readOnDemandShare(annotations, 'pods') : undefined;

/** Lists the pods of workloads with a share that are on nodes which stay, by workload. */
export const listRunningPods: (problem: Problem) => ReadonlyMap<string, RunningPods> = memoizePerRunningPods(
  ({ runningNodes }) => {
    const byOwner = new Map<string, Map<PodKey, boolean>>();
    for (const node of runningNodes) {
      if (node.leaving) continue;
      for (const pod of node.pods) {
        if (!namesOnDemandShare(pod.annotations) || !isReschedulable(pod)) continue;
        const pods = getOrCreate(byOwner, toShareOwner(pod), () => new Map());
        pods.set(podKey(pod), isOnDemand(node));
      }
    }
    return byOwner;
  },
);

/**
 * True if the node cannot be taken back as a spot instance. A claim that may still be launched as spot
 * counts as spot.
 */
export function isOnDemand({ labels, claim }: ExistingNode): boolean {
  const capacityType = labels[CAPACITY_TYPE_LABEL];
  if (capacityType !== undefined) return capacityType !== 'spot';
  if (!claim || claim.launch) return labels[EKS_CAPACITY_TYPE_LABEL] !== 'SPOT';
  const allowed = findPossibleRequirements(claim).get(CAPACITY_TYPE_LABEL);
  return allowed !== undefined && !allowsValue(allowed, 'spot');
}

/**
 * Sums the vCPUs of the pool's nodes. Empty nodes do not count: they are removed whatever the share is.
 *
 * @param receivers - names of nodes that get pods
 */
export function sumPoolCapacity(
  pool: string,
  nodes: readonly ExistingNode[],
  problem: Problem,
  receivers: ReadonlySet<string> = NO_NODES,
): SharedCapacity {
  let [onDemand, total] = [0, 0];
  for (const node of nodes) {
    const { claim, leaving, initialized, name, pods } = node;
    if (claim?.pool !== pool || leaving) continue;
    if (initialized && !receivers.has(name) && !pods.some(isReschedulable)) continue;
    const cpus = countNodeCpus(node, problem);
    total += cpus;
    if (isOnDemand(node)) onDemand += cpus;
  }
  return { onDemand, total };
}

const NO_NODES: ReadonlySet<string> = new Set();

function countNodeCpus({ claim, node, allocatable }: ExistingNode, { columns }: Problem): number {
  const capacity = claim?.launch?.capacity ?? node?.capacity;
  const milli = ownValue(capacity, CPU) ?? at(allocatable, columns.indexOf.get(CPU) ?? -1);
  return milli / 1000;
}
