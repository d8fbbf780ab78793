import type { QuotaRoom } from '../../model/pod-owner.ts';
import type { Resources } from '../../model/resources.ts';

/** What quotas leave while pods are being counted that nobody has created yet. */
export interface QuotaBook {
  /** Counts up to `wanted` pods in; @returns how many the namespace's quotas let in. */
  take(namespace: string, requests: Resources, wanted: number): number;
}

export function openQuotaBook(quotas: readonly QuotaRoom[]): QuotaBook {
  const rooms = quotas.map((quota) => ({ ...quota, free: { ...quota.free } }));

  return {
    take(namespace, requests, wanted) {
      const bounding = rooms.filter((room) => room.namespace === namespace);
      if (bounding.some(({ isPartlyKnown }) => isPartlyKnown)) return 0;
      const count = Math.min(wanted, ...bounding.map(({ free }) => copiesThatFit(requests, free)));
      for (const { free } of bounding) subtract(free, requests, count);
      return count;
    },
  };
}

function copiesThatFit(requests: Resources, free: Resources): number {
  const counts = Object.entries(free).flatMap(([name, left]) => {
    const each = requests[name] ?? 0;
    return each > 0 ? [Math.max(Math.floor(left / each), 0)] : [];
  });
  return Math.min(Number.POSITIVE_INFINITY, ...counts);
}

function subtract(free: Record<string, number>, requests: Resources, count: number): void {
  for (const name in free) free[name] = (free[name] ?? 0) - count * (requests[name] ?? 0);
}
