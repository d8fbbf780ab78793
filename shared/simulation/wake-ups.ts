import type { WakeUp, WakeUps } from '../ports/wake-ups.ts';

export function simWakeUps(): WakeUps {
  const rows = new Map<string, WakeUp>();

  return {
    find: async (claim) => rows.get(claim),
    async save(claim, wakeUp) {
      if (wakeUp.generation !== (rows.get(claim)?.generation ?? 0) + 1) return false;
      rows.set(claim, wakeUp);
      return true;
    },
  };
}
