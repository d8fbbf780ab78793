import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { isDaemon } from '../../../shared/model/pods/workload.ts';
import { addTimes, toVector, type Vector } from '../../../shared/scheduling/data-structures/resource-vectors.ts';
import type { ExistingNode } from '../../../shared/scheduling/input/existing-nodes.ts';
import { NO_NODE_COSTS } from '../../../shared/scheduling/input/node-costs.ts';
import { type Problem, prepare } from '../../../shared/scheduling/input/problem.ts';
import { groupByKind } from '../../../shared/scheduling/packing/bounds/pod-kinds.ts';
import { groupByEligibility } from '../../../shared/scheduling/packing/pricing/eligibility-groups.ts';
import { listOfferGroups } from '../../../shared/scheduling/packing/pricing/offer-groups.ts';
import {
  computeShadowPrices,
  computeValue,
  findHighestPrices,
} from '../../../shared/scheduling/packing/pricing/shadow-prices.ts';

/** The reasons why the cluster costs more than the lower bound: in USD per hour, or as shares of the bound. */
export interface DistanceParts {
  /** Instances without a ready Node: they start or end. */
  readonly notReady: number;
  /** Room that no pod requests, at the shadow prices of the bound. */
  readonly unused: number;
  /** Room of DaemonSet pods; the bound leaves them out. */
  readonly daemonSets: number;
  /** Prices of nodes beyond the value of their room: small, expensive or unsuitable types. */
  readonly dear: number;
}

export const NO_DISTANCE: DistanceParts = {
  notReady: 0,
  unused: 0,
  daemonSets: 0,
  dear: 0,
};

/**
 * Divides the distance between the cluster's price and its lower bound. The bound is the value of all
 * requests at shadow prices, so each node costs the value of its pods, of its DaemonSets and of its unused
 * room, and the rest is what its offering costs more than this room is worth.
 */
export function computeDistanceParts(snapshot: ClusterSnapshot): DistanceParts {
  const problem = prepare(snapshot);
  const valueRoom = createValuation(snapshot, problem.existingNodes);
  return problem.existingNodes.reduce(
    (sum, node) => addParts(sum, computeNodeParts(node, problem, valueRoom)),
    NO_DISTANCE,
  );
}

export const addParts = (a: DistanceParts, b: DistanceParts, times = 1): DistanceParts => ({
  notReady: a.notReady + times * b.notReady,
  unused: a.unused + times * b.unused,
  daemonSets: a.daemonSets + times * b.daemonSets,
  dear: a.dear + times * b.dear,
});

/** The value of room on a node of the pool, in USD per hour. */
type Valuation = (pool: string, room: Vector) => number;

function computeNodeParts(
  { claim, allocatable, pods, initialized, leaving }: ExistingNode,
  { columns }: Problem,
  valueRoom: Valuation,
): DistanceParts {
  if (!claim?.launch) return NO_DISTANCE;
  const { hourlyUsd } = claim.launch;
  if (!initialized || leaving) return { ...NO_DISTANCE, notReady: hourlyUsd };
  const value = (some: ExistingNode['pods']): number => {
    const room = new Float64Array(columns.names.length);
    for (const { spec } of some) addTimes(room, toVector(columns, spec.requests), 1);
    return valueRoom(claim.pool, room);
  };
  const roomUsd = valueRoom(claim.pool, allocatable);
  const daemonSetsUsd = value(pods.filter(isDaemon));
  const podsUsd = value(pods.filter((pod) => !isDaemon(pod)));
  return {
    notReady: 0,
    unused: roomUsd - daemonSetsUsd - podsUsd,
    daemonSets: daemonSetsUsd,
    dear: hourlyUsd - roomUsd,
  };
}

/** Prices room as the lower bound of the running pods does. */
function createValuation(snapshot: ClusterSnapshot, nodes: readonly ExistingNode[]): Valuation {
  const counts = new Map<PodSpec, number>();
  for (const pod of nodes.flatMap(({ pods }) => pods)) {
    if (!isDaemon(pod)) counts.set(pod.spec, (counts.get(pod.spec) ?? 0) + 1);
  }
  const empty = { nodes: [], claims: [], pods: [], daemonSets: [], unavailable: [] };
  const problem = prepare({ ...snapshot, ...empty });
  const kinds = groupByKind(counts.keys(), problem);
  const groups = groupByEligibility(kinds, ({ accesses }) => accesses, problem);
  const totals = groups.map(({ members }) => {
    const total = new Float64Array(problem.columns.names.length);
    for (const spec of members.flatMap(({ specs }) => specs))
      addTimes(total, toVector(problem.columns, spec.requests), counts.get(spec) ?? 0);
    return total;
  });
  const offerGroups = listOfferGroups(groups, problem, NO_NODE_COSTS);
  const slots = new Float64Array(0);
  const prices = computeShadowPrices({ totals, slots }, offerGroups, [], problem.work);
  return (pool, room) => {
    const open = offerGroups.filter(({ template }) => template.pool.name === pool);
    const { usd } = findHighestPrices(
      open.flatMap(({ eligibilityGroups }) => eligibilityGroups),
      prices,
    );
    return computeValue(usd, room);
  };
}
