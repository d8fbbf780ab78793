import { NODEPOOL_LABEL } from '../../model/labels.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import { findOffHours } from '../../model/nodes/pool-hours.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { intersectRequirements, toLabelRequirements, toRequirements } from '../../model/requirements/requirements.ts';
import type { EpochMs } from '../../model/time.ts';
import { mayRunOnNewNode } from '../../scheduling/instance-types/daemon-overhead.ts';

/**
 * Removes the pods that wait for the hours of a NodePool, as its annotation wants: every pool whose
 * taints, labels and requirements suit the pod is in its off hours.
 */
export function withoutPodsWaitingForHours(
  pods: readonly Pod[],
  pools: readonly NodePool[],
  now: EpochMs,
): readonly Pod[] {
  const { off = [], on = [] } = Object.groupBy(pools, (pool) => (findOffHours(pool, now) ? 'off' : 'on'));
  if (off.length === 0) return pods;
  const [suitOff, suitOn] = [off.map(createCheck), on.map(createCheck)];
  return pods.filter((pod) => suitOn.some((suits) => suits(pod)) || !suitOff.some((suits) => suits(pod)));
}

function createCheck({ name, labels, requirements, taints }: NodePool): (pod: Pod) => boolean {
  const open = intersectRequirements(
    toRequirements(requirements),
    toLabelRequirements({ ...labels, [NODEPOOL_LABEL]: name }),
  );
  return (pod) => mayRunOnNewNode(pod, open, taints);
}
