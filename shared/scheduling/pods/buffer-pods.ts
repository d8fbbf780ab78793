import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Labels } from '../../model/labels.ts';
import { bufferReplicas, type CapacityBuffer } from '../../model/pods/capacity-buffer.ts';
import type { Pod, PodSpec } from '../../model/pods/pod.ts';
import { USUAL_SETTINGS } from '../../model/settings.ts';
import type { EpochMs } from '../../model/time.ts';

/** Below every priority that a pod can have. @see Karpenter: the smallest 32-bit integer */
const HEADROOM_PRIORITY = -(2 ** 31);

const FAKE_POD_ANNOTATION = 'karpenter.sh/capacity-buffer-fake-pod';
const BUFFER_NAME_ANNOTATION = 'karpenter.sh/capacity-buffer-name';
const BUFFER_NAMESPACE_ANNOTATION = 'karpenter.sh/capacity-buffer-namespace';

/** Whether nobody made the pod, and nobody will: it stands for the room of a buffer. */
export const isBufferPod = ({ annotations }: Pick<Pod, 'annotations'>): boolean =>
  annotations[FAKE_POD_ANNOTATION] === 'true';

export const isHeadroomSpec = ({ priority }: Pick<PodSpec, 'priority'>): boolean =>
  priority === HEADROOM_PRIORITY;

/** Pods that stand for the room that CapacityBuffers keep: nobody creates or binds them. */
export function listBufferPods({
  buffers = [],
  settings = USUAL_SETTINGS,
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
    spec: toHeadroomSpec(template.spec),
    createdAt: now,
    phase: 'Pending' as const,
    ready: false,
    unschedulableSince: now,
  };
  return Array.from({ length: bufferReplicas(buffer) }, (_, index) => ({
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

// What is worked out for a spec is kept by the spec.
const headroomSpecs = new WeakMap<PodSpec, PodSpec>();

/** Volumes are made for pods that are there. */
function toHeadroomSpec(spec: PodSpec): PodSpec {
  const cached = headroomSpecs.get(spec);
  if (cached) return cached;
  const { ephemeralVolumes: _, ...others } = spec;
  const headroom = {
    ...others,
    volumeClaims: [],
    schedulingGates: [],
    priority: HEADROOM_PRIORITY,
  };
  headroomSpecs.set(spec, headroom);
  return headroom;
}
