import type { HostPort, Pod, PodSpec } from '../../shared/model/pods/pod.ts';

/**
 * A pod whose planning may end the plan: `onPlan` is called when the planner reads a field of the spec
 * that no other code reads. Serialisation does not show the field.
 */
export const aFatalPod = (pod: Pod, onPlan: () => readonly HostPort[]): Pod => withTrap(pod, 'hostPorts', onPlan);

/** A running pod whose move may end the plan: `onMove` is called when another place is looked for. */
export const aPodFatalToMove = (pod: Pod, onMove: () => PodSpec['tolerations']): Pod =>
  withTrap(pod, 'tolerations', onMove);

function withTrap(pod: Pod, field: keyof PodSpec, get: () => unknown): Pod {
  const spec = { ...pod.spec };
  Object.defineProperty(spec, field, { enumerable: false, get });
  return { ...pod, spec };
}
