import { ownValue } from '../../model/own-value.ts';
import type { ProvisioningPlan } from '../../model/plans.ts';
import { isTerminal, isTerminating } from '../../model/pods/disruption-pods.ts';
import { type Pod, type PodKey, type PodSpec, podKey } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import { CPU } from '../../model/resources.ts';
import { at } from '../data-structures/resource-vectors.ts';
import type { ExistingNode } from './existing-nodes.ts';
import { computePoolGrowth } from './pool-growth.ts';
import type { Problem } from './problem.ts';

/**
 * New nodes of a pool that grows steadily have room for the pods to come. In a rising wave each launch is
 * for one or two pods: planned alone, they get the smallest node. On nodes of two CPUs, DaemonSets and
 * reserved memory take a tenth of the price, and room that these pods leave is too small for others.
 *
 * kube-scheduler binds pods of all workloads to the new node. So the pods to come are a mixture of the
 * workloads that grow: of one of them alone, they would choose a type that suits no other.
 */

/** Larger nodes save little more: on 16 CPUs the room of DaemonSets is below 2 %. */
const MAX_NODE_CPU_MILLI = 15_000;
/** The pods of a node of four CPUs. */
const SMALL_NODE_CPU_MILLI = 3_750;
/** A node that is larger than this share of its pool is half empty for too long while the pool grows. */
const MAX_POOL_SHARE = 0.05;
/** Most nodes run fewer pods. */
const MAX_GROWTH_PODS = 100;

/**
 * Lists pods that stand for those to come: copies of the pods that started in the growth window, as much CPU as
 * the pool launched in it, up to one large node. Empty if the pool does not grow steadily.
 *
 * @param batch - the pods that wait
 */
export function listGrowthPods(problem: Problem, batch: readonly Pod[]): readonly Pod[] {
  const { snapshot, existingNodes } = problem;
  if (batch.length === 0) return [];
  const waitingCpu = batch.reduce((sum, { spec }) => sum + cpuOf(spec), 0);
  const since = snapshot.takenAt - (snapshot.settings?.growthWindowMs ?? 0);
  const byPool = Map.groupBy(existingNodes, ({ claim }) => claim?.pool);
  return [...computePoolGrowth(problem)].flatMap(([pool, growth]) => {
    const nodes = byPool.get(pool) ?? [];
    const cpuMilli = Math.min(growth.cpuMilli, computeMaxNodeCpu(nodes, problem) - waitingCpu);
    if (!growth.isSteady || cpuMilli <= 0) return [];
    const recent = nodes.flatMap(({ pods }) => pods.filter((pod) => pod.createdAt >= since && mayComeAgain(pod)));
    return mixSpecs(recent, cpuMilli).map(({ spec, namespace }, index) =>
      toGrowthPod(namespace, spec, `growth-of-${pool}-${index + 1}`, snapshot.takenAt),
    );
  });
}

/** Returns the most CPU that pods of a new node should request. */
function computeMaxNodeCpu(nodes: readonly ExistingNode[], { columns }: Problem): number {
  const column = columns.names.indexOf(CPU);
  const poolCpu = nodes.reduce((sum, { allocatable }) => sum + at(allocatable, column), 0);
  return Math.min(MAX_NODE_CPU_MILLI, Math.max(SMALL_NODE_CPU_MILLI, poolCpu * MAX_POOL_SHARE));
}

const cpuOf = ({ requests }: PodSpec): number => ownValue(requests, CPU) ?? 0;

/** Pods whose place depends on other pods would change where the waiting pods go. */
const mayComeAgain = (pod: Pod): boolean =>
  !isDaemon(pod) &&
  !isTerminal(pod) &&
  !isTerminating(pod) &&
  pod.owner !== undefined &&
  pod.owner.kind !== 'Job' &&
  cpuOf(pod.spec) > 0 &&
  needsNoOtherObjects(pod.spec);

const needsNoOtherObjects = (spec: PodSpec): boolean =>
  spec.podAffinity.length +
    spec.podAntiAffinity.length +
    spec.volumeClaims.length +
    spec.hostPorts.length +
    spec.schedulingGates.length +
    (spec.ephemeralVolumes ?? []).length +
    (spec.deviceClaims ?? []).length ===
  0;

/** A workload's share of the pods that started in the growth window. */
interface GrowingSpec {
  readonly spec: PodSpec;
  readonly namespace: string;
  /** Share of the CPU that all of these pods request. */
  readonly share: number;
  /** CPU of the copies. */
  copiedCpu: number;
}

/** Lists specs, over and over again, in proportion to the CPU of their pods, until the next one does not fit. */
function mixSpecs(pods: readonly Pod[], cpuMilli: number): readonly GrowingSpec[] {
  const sorted = pods
    .filter(({ spec }) => cpuOf(spec) <= cpuMilli)
    .toSorted((a, b) => (podKey(a) < podKey(b) ? -1 : 1));
  const totalCpu = sorted.reduce((sum, { spec }) => sum + cpuOf(spec), 0);
  const growing = [...Map.groupBy(sorted, ({ spec }) => spec)].map(
    ([spec, own]): GrowingSpec => ({
      // Growth in other zones does not need room on this node.
      spec: spec.topologySpread.length > 0 ? { ...spec, topologySpread: [] } : spec,
      namespace: own[0]?.namespace ?? '',
      share: (own.length * cpuOf(spec)) / totalCpu,
      copiedCpu: 0,
    }),
  );
  const copies: GrowingSpec[] = [];
  let remaining = cpuMilli;
  while (copies.length < MAX_GROWTH_PODS) {
    const next = findFurthestBehind(growing, cpuMilli - remaining);
    if (!next || cpuOf(next.spec) > remaining) break;
    next.copiedCpu += cpuOf(next.spec);
    remaining -= cpuOf(next.spec);
    copies.push(next);
  }
  return copies;
}

/** Finds the spec whose copies would be furthest behind its share without another copy; the first if several are. */
function findFurthestBehind(growing: readonly GrowingSpec[], copied: number): GrowingSpec | undefined {
  const computeLag = ({ spec, share, copiedCpu }: GrowingSpec): number =>
    share * (copied + cpuOf(spec)) - copiedCpu - cpuOf(spec) / 2;
  let furthest: GrowingSpec | undefined;
  for (const one of growing) {
    if (!furthest || computeLag(one) > computeLag(furthest)) furthest = one;
  }
  return furthest;
}

/** Without labels, no selector counts it; without an owner, no claim expects it. */
const toGrowthPod = (namespace: string, spec: PodSpec, name: string, now: number): Pod => ({
  namespace,
  name,
  uid: name,
  labels: {},
  annotations: {},
  spec,
  // Later than every existing pod, so that existing pods get scarce capacity first.
  createdAt: now + 1,
  phase: 'Pending',
  ready: false,
  unschedulableSince: now,
});

/** Removes the growth pods from a plan, and the nodes that would be launched for them alone. */
export function withoutGrowthPods(plan: ProvisioningPlan, growthPods: readonly Pod[]): ProvisioningPlan {
  if (growthPods.length === 0) return plan;
  const keys = new Set(growthPods.map(podKey));
  const without = (pods: readonly PodKey[]): PodKey[] => pods.filter((pod) => !keys.has(pod));
  const claims = plan.claims
    .map((claim) => ({ ...claim, pods: without(claim.pods) }))
    .filter(({ pods }) => pods.length > 0);
  return {
    claims,
    placements: plan.placements
      .map((placement) => ({ ...placement, pods: without(placement.pods) }))
      .filter(({ pods }) => pods.length > 0),
    unplaced: plan.unplaced
      .map((group) => ({ ...group, pods: without(group.pods) }))
      .filter(({ pods }) => pods.length > 0),
    hourlyUsd: claims.reduce((total, { cheapest }) => total + cheapest.hourlyUsd, 0),
  };
}
