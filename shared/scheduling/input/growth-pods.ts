import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import type { ProvisioningPlan } from '../../model/plans.ts';
import { isTerminal, isTerminating } from '../../model/pods/disruption-pods.ts';
import { type Pod, type PodKey, type PodSpec, podKey } from '../../model/pods/pod.ts';
import { isDaemon } from '../../model/pods/workload.ts';
import { CPU } from '../../model/resources.ts';
import { computePoolGrowth } from './pool-growth.ts';
import type { Problem } from './problem.ts';

/**
 * New nodes of a pool that grows steadily have room for the pods to come. In a rising wave each launch is
 * for one or two pods: planned alone, they get the smallest node. On nodes of two CPUs, DaemonSets and
 * reserved memory take a tenth of the price, and room that these pods leave is too small for others.
 */

/** Larger nodes save little more: on 16 CPUs the room of DaemonSets is below 2 %. */
const MAX_NODE_CPU_MILLI = 15_000;

/**
 * Lists pods that stand for those to come: copies of the pods that started last in the pool, as much CPU as
 * the pool launched in the growth window, up to one large node. Empty if the pool does not grow steadily.
 *
 * @param batch - the pods that wait
 */
export function listGrowthPods(problem: Problem, batch: readonly Pod[]): readonly Pod[] {
  const { snapshot, existingNodes } = problem;
  const waitingCpu = batch.reduce((sum, { spec }) => sum + cpuOf(spec), 0);
  if (batch.length === 0 || waitingCpu >= MAX_NODE_CPU_MILLI) return [];
  const since = snapshot.takenAt - (snapshot.settings?.growthWindowMs ?? 0);
  const recent = new Map<string, Pod[]>();
  for (const { claim, pods } of existingNodes) {
    if (!claim || !computePoolGrowth(problem).get(claim.pool)?.isSteady) continue;
    getOrCreate(recent, claim.pool, () => []).push(
      ...pods.filter((pod) => pod.createdAt >= since && mayComeAgain(pod)),
    );
  }
  return [...recent].flatMap(([pool, pods]) => {
    const launchedCpu = computePoolGrowth(problem).get(pool)?.cpuMilli ?? 0;
    const cpuMilli = Math.min(launchedCpu, MAX_NODE_CPU_MILLI - waitingCpu);
    return copyPods(pods.toSorted(newestFirst), pool, cpuMilli, snapshot.takenAt);
  });
}

const cpuOf = ({ requests }: PodSpec): number => ownValue(requests, CPU) ?? 0;

const newestFirst = (a: Pod, b: Pod): number =>
  b.createdAt - a.createdAt || (podKey(a) < podKey(b) ? -1 : 1);

/** Pods with rules that depend on other pods would change where the waiting pods go. */
const mayComeAgain = (pod: Pod): boolean =>
  !isDaemon(pod) &&
  !isTerminal(pod) &&
  !isTerminating(pod) &&
  pod.owner !== undefined &&
  pod.owner.kind !== 'Job' &&
  cpuOf(pod.spec) > 0 &&
  needsOnlyResources(pod.spec);

const needsOnlyResources = (spec: PodSpec): boolean =>
  spec.topologySpread.length +
    spec.podAffinity.length +
    spec.podAntiAffinity.length +
    spec.volumeClaims.length +
    spec.hostPorts.length +
    spec.schedulingGates.length +
    (spec.ephemeralVolumes ?? []).length +
    (spec.deviceClaims ?? []).length ===
  0;

/** Copies the pods, over and over again, while their CPU fits. */
function copyPods(
  pods: readonly Pod[],
  pool: string,
  cpuMilli: number,
  now: number,
): readonly Pod[] {
  const copies: Pod[] = [];
  let remaining = cpuMilli;
  const fitting = pods.filter(({ spec }) => cpuOf(spec) <= cpuMilli);
  for (let index = 0; fitting.length > 0; index++) {
    const pod = fitting[index % fitting.length];
    if (!pod || cpuOf(pod.spec) > remaining) return copies;
    remaining -= cpuOf(pod.spec);
    copies.push(toGrowthPod(pod, `growth-of-${pool}-${index + 1}`, now));
  }
  return copies;
}

/** Without labels, no selector counts it; without an owner, no claim expects it. */
const toGrowthPod = ({ namespace, spec }: Pod, name: string, now: number): Pod => ({
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
export function withoutGrowthPods(
  plan: ProvisioningPlan,
  growthPods: readonly Pod[],
): ProvisioningPlan {
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
