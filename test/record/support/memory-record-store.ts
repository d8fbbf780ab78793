import type { RecordStore } from '../../../shared/record/decision-recorder.ts';

/** Keeps records in memory, by their path. */
export interface MemoryRecordStore extends RecordStore {
  readonly entries: ReadonlyMap<string, string>;
  /** The paths of the decisions, in the order in which they were stored. */
  decisionPaths(): readonly string[];
}

export function createMemoryRecordStore(): MemoryRecordStore {
  const entries = new Map<string, string>();
  return {
    entries,
    async put(path, json) {
      if (entries.has(path)) return 'exists';
      entries.set(path, json);
      return 'stored';
    },
    decisionPaths: () => [...entries.keys()].filter((path) => path.startsWith('decisions/')),
  };
}
