import { CAPACITY_TYPE_LABEL } from '../../model/labels.ts';
import { memoize } from '../../model/memo.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import {
  computeMissingOnDemand,
  namesOnDemandShare,
  type OnDemandShare,
} from '../../model/offerings/on-demand-share.ts';
import { type NodeSelectorTerm, type Pod, type PodSpec, podKey } from '../../model/pods/pod.ts';
import { CPU } from '../../model/resources.ts';
import { intersection, isEmptyBitset } from '../data-structures/bitset.ts';
import type { Problem } from '../input/problem.ts';
import { listRunningPods, readPodShare, sumPoolCapacity, toShareOwner } from '../input/shared-capacity.ts';
import { findExcess } from '../pods/pod-complexity.ts';
import { listRelaxations } from '../pods/relaxations.ts';
import { listUnpinnedOptions, type PoolOption } from './pod-groups.ts';

/**
 * Restricts as many pods of each workload to on-demand nodes as its share lacks. The other pods may go
 * anywhere, so without spot capacity they get on-demand nodes.
 *
 * The restriction is part of `resolved`, not of the pod's own terms: topology rules and the simulation of
 * kube-scheduler see the pod as it is. Equal pods may change places, which keeps the share.
 *
 * A pod for which no NodePool has on-demand capacity now is not restricted: it runs on spot rather than
 * not at all.
 */
export function withOnDemandPods(pods: readonly Pod[], problem: Problem): readonly Pod[] {
  if (problem.ignoresOnDemandShares || !pods.some(namesShare)) return pods;
  const restricted = new Map<Pod, Pod>();
  for (const [owner, own] of Map.groupBy(pods.filter(namesShare), toShareOwner)) {
    const members = own.toSorted(byAge);
    const [share] = members.slice(-1).flatMap((pod) => readPodShare(pod) ?? []);
    if (!share) continue;
    const able = members.filter((pod) => hasOnDemandNode(pod.spec, problem));
    for (const pod of able.slice(0, countMissingPods(owner, share, members, problem)))
      restricted.set(pod, { ...pod, spec: toOnDemandSpec(pod.spec) });
  }
  return restricted.size === 0 ? pods : pods.map((pod) => restricted.get(pod) ?? pod);
}

/**
 * Restricts as many pods to on-demand nodes as the shares of their NodePools will lack, so that these nodes
 * are not larger than the shares. An estimate by requests: `keepOnDemandShares` keeps the shares.
 *
 * @param leaving - names of nodes that are planned as if they were removed
 */
export function withOnDemandPodsOfPools(
  pods: readonly Pod[],
  problem: Problem,
  leaving: readonly string[],
): readonly Pod[] {
  const sharing = problem.nodeTemplates.filter(({ pool }) => pool.onDemandShare);
  if (sharing.length === 0) return pods;
  const staying = problem.existingNodes.filter(({ name }) => !leaving.includes(name));
  const restricted = new Map<Pod, Pod>();
  for (const { pool } of sharing) {
    const own = pods.filter(({ spec }) => findOnlyPool(spec, problem) === pool).toSorted(byAge);
    const { onDemand, total } = sumPoolCapacity(pool.name, staying, problem);
    const requested = own.reduce((sum, pod) => sum + countCpus(pod), 0);
    let missing = pool.onDemandShare
      ? computeMissingOnDemand(pool.onDemandShare, { onDemand, total: total + requested }, 'vCPUs')
      : 0;
    for (const pod of own) {
      if (missing <= 0) break;
      if (!hasOnDemandNode(pod.spec, problem)) continue;
      restricted.set(pod, { ...pod, spec: toOnDemandSpec(pod.spec) });
      missing -= countCpus(pod);
    }
  }
  return restricted.size === 0 ? pods : pods.map((pod) => restricted.get(pod) ?? pod);
}

const countCpus = ({ spec }: Pod): number => (spec.requests[CPU] ?? 0) / 1000;

/** The NodePool that launches nodes for the pod, if no other of its weight may. */
function findOnlyPool(spec: PodSpec, problem: Problem): NodePool | undefined {
  const options = listAllOptions(spec, problem);
  const weight = options[0]?.template.pool.weight;
  const pools = new Set(options.flatMap(({ template: { pool } }) => (pool.weight === weight ? [pool] : [])));
  const [only] = pools;
  return pools.size === 1 ? only : undefined;
}

const namesShare = ({ annotations }: Pod): boolean => namesOnDemandShare(annotations);

/** The template of the youngest pod is the present one. */
const byAge = (a: Pod, b: Pod): number => a.createdAt - b.createdAt || (podKey(a) < podKey(b) ? -1 : 1);

/** Counts the pods of the batch that must be on demand, besides those that are. */
function countMissingPods(owner: string, share: OnDemandShare, batch: readonly Pod[], problem: Problem): number {
  const staying = new Map(listRunningPods(problem).get(owner));
  for (const pod of batch) staying.delete(podKey(pod));
  const onDemand = [...staying.values()].filter(Boolean).length;
  return computeMissingOnDemand(share, { onDemand, total: staying.size + batch.length }, 'pods');
}

/** True if the spec was restricted to on-demand nodes by the share of its workload. */
export const isOnDemandSpec = ({ resolved }: PodSpec): boolean =>
  resolved?.nodeTerms.some((term) => term.includes(NOT_SPOT)) === true;

/** Nodes of other autoscalers lack the label. */
const NOT_SPOT: NodeSelectorTerm[number] = {
  key: CAPACITY_TYPE_LABEL,
  operator: 'NotIn',
  values: ['spot'],
};

// Other caches are keyed by spec.
const toOnDemandSpec = memoize((spec: PodSpec): PodSpec => {
  const { nodeTerms = [], ...others } = spec.resolved ?? {};
  const terms = nodeTerms.length > 0 ? nodeTerms : [[]];
  return {
    ...spec,
    resolved: { ...others, nodeTerms: terms.map((term) => [...term, NOT_SPOT]) },
  };
});

const listAllOptions = (spec: PodSpec, problem: Problem): readonly PoolOption[] =>
  findExcess(spec) ? [] : listRelaxations(spec).flatMap((relaxation) => listUnpinnedOptions(spec, relaxation, problem));

function hasOnDemandNode(spec: PodSpec, problem: Problem): boolean {
  return listAllOptions(toOnDemandSpec(spec), problem).some(
    ({ types, where }) => !isEmptyBitset(intersection(types, problem.offerings.offered(where))),
  );
}
