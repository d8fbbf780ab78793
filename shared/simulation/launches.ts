import type { Launches, StoredLaunch } from '../ports/launches.ts';

export function simLaunches(): Launches {
  const rows = new Map<string, StoredLaunch>();

  return {
    find: async (id) => rows.get(id),
    list: async () => [...rows.values()],
    async save(record, seen) {
      if ((rows.get(record.id)?.version ?? 0) !== seen) return false;
      rows.set(record.id, { record, version: seen + 1 });
      return true;
    },
    async remove(id) {
      rows.delete(id);
    },
  };
}
