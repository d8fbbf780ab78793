import type { StoppedRollout } from '../model/drift.ts';
import type { Rollouts } from '../ports/rollouts.ts';

export function simRollouts(): Rollouts {
  const rows = new Map<string, StoppedRollout>();

  return {
    list: async () => [...rows.values()],
    async stop(rollout) {
      rows.set(rollout.nodeClass, rollout);
    },
    async resume(nodeClass) {
      rows.delete(nodeClass);
    },
  };
}
