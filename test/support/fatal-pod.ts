import type { HostPort, Pod } from '../../shared/model/pods/pod.ts';

/**
 * A pod whose planning may end the plan: `onPlan` is called when the planner reads a field of the spec
 * that no other code reads. Serialisation does not show the field.
 */
export function aFatalPod(pod: Pod, onPlan: () => readonly HostPort[]): Pod {
  const spec = { ...pod.spec };
  Object.defineProperty(spec, 'hostPorts', { enumerable: false, get: onPlan });
  return { ...pod, spec };
}
