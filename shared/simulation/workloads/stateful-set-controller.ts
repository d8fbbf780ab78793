import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { podKey } from '../../model/pods/pod.ts';
import type { StatefulSet } from '../../model/pods/workload.ts';
import { putPod, terminatePod } from '../control-plane/api-server.ts';
import type { ControllerContext } from './controller-runtime.ts';
import { ownerReferenceOf } from './workload-owner.ts';

/**
 * Creates and deletes one pod at a time in ordinal order: a pod is created when all lower ordinals
 * are ready, the highest ordinal is deleted first, and a name is reused only after its pod is gone.
 */
export function reconcileStatefulSet(
  { seed, clock, api, factory }: ControllerContext,
  set: StatefulSet,
): 'done' {
  const { namespace, template, replicas } = set;
  const owner = ownerReferenceOf(seed, set);
  const podName = (ordinal: number): string => `${set.name}-${ordinal}`;
  const find = (ordinal: number): Pod | undefined =>
    api.pods.get(podKey({ namespace, name: podName(ordinal) }));

  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const pod = find(ordinal);
    if (!pod) putPod(api.pods, factory.create({ namespace, template, owner }, podName(ordinal)));
    else if (isTerminal(pod) && pod.deletionAt === undefined) api.pods.remove(podKey(pod));
    if (!pod?.ready || pod.deletionAt !== undefined) return 'done';
  }

  const excess = [...api.pods.ofOwner(owner.uid).values()]
    .filter(({ name }) => ordinalOf(name) >= replicas)
    .toSorted((a, b) => ordinalOf(b.name) - ordinalOf(a.name));
  const [last] = excess;
  if (last && last.deletionAt === undefined) {
    terminatePod(api.pods, last, clock.now(), last.spec.terminationGracePeriodMs);
  }
  return 'done';
}

const ordinalOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1));
