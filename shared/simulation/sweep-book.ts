import type { SweepBook, SweepNotes } from '../ports/learned-state.ts';

export function simSweepBook(): SweepBook {
  let notes: SweepNotes | undefined;

  return {
    read: async () => notes,
    async write(next) {
      notes = next;
    },
  };
}
