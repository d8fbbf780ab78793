import { getOrCreate } from '../../model/memo.ts';
import { isTerminal } from '../../model/pods/disruption-pods.ts';
import type { Pod, PodSpec, PodTemplate } from '../../model/pods/pod.ts';
import { podKey } from '../../model/pods/pod.ts';
import type { StatefulSet } from '../../model/pods/workload.ts';
import { putPod, terminatePod } from '../control-plane/api-server.ts';
import type { ControllerContext } from './controller-runtime.ts';
import { ownerReferenceOf } from './workload-owner.ts';

/**
 * Creates and deletes one pod at a time in ordinal order: a pod is created when all lower ordinals
 * are ready, the highest ordinal is deleted first, and a name is reused only after its pod is gone.
 */
export function reconcileStatefulSet({ seed, clock, api, factory }: ControllerContext, set: StatefulSet): 'done' {
  const { namespace, replicas } = set;
  const owner = ownerReferenceOf(seed, set);
  const podName = (ordinal: number): string => `${set.name}-${ordinal}`;
  const find = (ordinal: number): Pod | undefined => api.pods.get(podKey({ namespace, name: podName(ordinal) }));

  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const pod = find(ordinal);
    if (!pod) create(podName(ordinal));
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

  function create(name: string): void {
    for (const { name: volume, ...claim } of set.volumeClaimTemplates ?? []) {
      api.storage.createClaim({ ...claim, namespace, name: `${volume}-${name}` });
    }
    const template = withOwnClaims(set, name);
    putPod(api.pods, factory.create({ namespace, template, owner }, name));
  }
}

// Pods of one class share a spec, so a pod that comes again must get the same one.
const templates = new WeakMap<PodSpec, Map<string, PodSpec>>();

/** Adds the claims that only the pod of this name has. */
function withOwnClaims({ template, volumeClaimTemplates = [] }: StatefulSet, pod: string): PodTemplate {
  if (volumeClaimTemplates.length === 0) return template;
  const own = volumeClaimTemplates.map(({ name }) => `${name}-${pod}`);
  const ofTemplate = getOrCreate(templates, template.spec, () => new Map());
  const spec = getOrCreate(ofTemplate, pod, () => ({
    ...template.spec,
    volumeClaims: [...template.spec.volumeClaims, ...own],
  }));
  return { ...template, spec };
}

const ordinalOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1));
