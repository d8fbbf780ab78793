import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Labels } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { type CapacityBuffer, computeBufferReplicas } from '../../model/pods/capacity-buffer.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import { DEFAULT_SETTINGS } from '../../model/settings.ts';
import type { EpochMs } from '../../model/time.ts';

/**
 * Below every priority that a pod can have.
 *
 * @see Karpenter: the smallest 32-bit integer
 */
const BUFFER_POD_PRIORITY = -(2 ** 31);

const FAKE_POD_ANNOTATION = 'karpenter.sh/capacity-buffer-fake-pod';
const BUFFER_NAME_ANNOTATION = 'karpenter.sh/capacity-buffer-name';
const BUFFER_NAMESPACE_ANNOTATION = 'karpenter.sh/capacity-buffer-namespace';

/**
 * True for a virtual pod that stands for the capacity of a CapacityBuffer; no such pod exists in
 * the cluster.
 */
export const isBufferPod = ({ annotations }: Pick<Pod, 'annotations'>): boolean =>
  annotations[FAKE_POD_ANNOTATION] === 'true';

export const isBufferPodSpec = ({ priority }: Pick<PodSpec, 'priority'>): boolean => priority === BUFFER_POD_PRIORITY;

/**
 * Lists the virtual pods that stand for the capacity of CapacityBuffers. They are never created or
 * bound.
 */
export function listBufferPods({
  buffers = [],
  settings = DEFAULT_SETTINGS,
  takenAt,
}: Pick<ClusterSnapshot, 'buffers' | 'settings' | 'takenAt'>): readonly Pod[] {
  if (!settings.gates.CapacityBuffer) return [];
  return buffers.flatMap((buffer) => createBufferPods(buffer, takenAt));
}

export function createBufferPods(buffer: CapacityBuffer, now: EpochMs): readonly Pod[] {
  const { template, namespace, name, uid } = buffer;
  if (!template) return [];
  const shared = {
    namespace,
    labels: template.labels,
    annotations: createAnnotations(buffer),
    spec: toBufferPodSpec(template.spec),
    createdAt: now,
    phase: 'Pending' as const,
    ready: false,
    unschedulableSince: now,
  };
  return Array.from({ length: computeBufferReplicas(buffer) }, (_, index) => ({
    ...shared,
    name: `capacity-buffer-${name}-${index + 1}`,
    uid: `${uid}-${index + 1}`,
  }));
}

const createAnnotations = ({ name, namespace }: CapacityBuffer): Labels => ({
  [FAKE_POD_ANNOTATION]: 'true',
  [BUFFER_NAME_ANNOTATION]: name,
  [BUFFER_NAMESPACE_ANNOTATION]: namespace,
});

// Other caches are keyed by spec, so the derived spec must stay one object.
const bufferPodSpecs = new WeakMap<PodSpec, PodSpec>();

/** Virtual pods need no volumes: volumes are only provisioned for real pods. */
function toBufferPodSpec(spec: PodSpec): PodSpec {
  return getOrCreate(bufferPodSpecs, spec, () => {
    const { ephemeralVolumes: _, ...others } = spec;
    return {
      ...others,
      volumeClaims: [],
      schedulingGates: [],
      priority: BUFFER_POD_PRIORITY,
    };
  });
}
