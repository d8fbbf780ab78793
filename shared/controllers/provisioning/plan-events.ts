import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { ClusterEvent } from '../../model/explanations/events.ts';
import { awaitsNewClass, formatRefusals } from '../../model/explanations/refusals.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Launch } from '../../model/nodes/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../model/pods/pod.ts';
import { CPU } from '../../model/resources.ts';
import type { Ports } from '../../ports/ports.ts';
import { ownerKeyOfAnticipated } from '../../scheduling/pods/anticipated-pods.ts';

export function toLaunchEvent(
  { claim, pods, anticipated = [], nextBest }: PlannedClaim,
  launch: Launch,
  snapshot: ClusterSnapshot,
): ClusterEvent {
  const { instanceType, zone, capacityType, hourlyUsd, at, providerId } = launch;
  return {
    kind: 'launch',
    at,
    claim: claim.name,
    instance: providerId,
    pods,
    ...(anticipated.length > 0 && { podsToCome: anticipated.length }),
    cpuMilli: sumCpuMilli([...pods, ...anticipated], snapshot),
    offering: { instanceType, zone, capacityType, hourlyUsd },
    ...(nextBest && { nextBest }),
  };
}

const sumCpuMilli = (keys: readonly PodKey[], { pods }: ClusterSnapshot): number => {
  const byKey = indexPods(pods);
  return keys.reduce((sum, key) => {
    const example = byKey.get(key) ?? byKey.get(ownerKeyOfAnticipated(key));
    return sum + (example?.spec.requests[CPU] ?? 0);
  }, 0);
};

// A plan of hundreds of claims looks pods up for each of them.
const podIndexes = new WeakMap<readonly Pod[], ReadonlyMap<PodKey, Pod>>();

/** Pods by their key, and one pod of each owner by the owner's. */
function indexPods(pods: readonly Pod[]): ReadonlyMap<PodKey, Pod> {
  return getOrCreate(podIndexes, pods, () => {
    const byOwner = pods.flatMap((pod): [PodKey, Pod][] =>
      pod.owner ? [[`${pod.namespace}/${pod.owner.name}`, pod]] : [],
    );
    return new Map([...byOwner, ...pods.map((pod): [PodKey, Pod] => [podKey(pod), pod])]);
  });
}

/** Reports which pods need no new node, and which could not be placed. */
export async function announcePlan(
  { decisionLog }: Pick<Ports, 'decisionLog'>,
  { placements, unplaced }: ProvisioningPlan,
  snapshot: ClusterSnapshot,
): Promise<void> {
  const at = snapshot.takenAt;
  const startingNames = listStartingNames(snapshot);
  const ready = placements.filter(({ target }) => !startingNames.has(target));
  const pods = ready.flatMap((placement) => placement.pods);
  if (pods.length > 0) {
    const targets = ready.map(({ target }) => target);
    await decisionLog.recordEvent({ kind: 'placed', at, pods, targets });
  }
  for (const group of unplaced) {
    // A new EC2NodeClass is evaluated in a moment, which shows what it lacks.
    if (group.waits || group.pools.some((refusal) => awaitsNewClass(refusal, at))) continue;
    await decisionLog.recordEvent({
      kind: 'unplaced',
      at,
      pods: group.pods,
      text: formatRefusals(group.pools),
    });
  }
}

/**
 * Claim and Node names of starting nodes. Placements on them are not reported: the launch was, and
 * they recur in every plan.
 */
const listStartingNames = ({ claims }: ClusterSnapshot): ReadonlySet<string | undefined> =>
  new Set(
    claims.filter(({ initializedAt }) => initializedAt === undefined).flatMap(({ name, nodeName }) => [name, nodeName]),
  );
