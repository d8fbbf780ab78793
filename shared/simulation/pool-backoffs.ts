import type { PoolBackoff, PoolBackoffs } from '../ports/pool-backoffs.ts';

export function simPoolBackoffs(): PoolBackoffs {
  const rows = new Map<string, PoolBackoff>();

  return {
    list: async () => [...rows.values()],
    async save(backoff) {
      rows.set(backoff.pool, backoff);
    },
    async remove(pool) {
      rows.delete(pool);
    },
  };
}
