import { formatDuration, plural } from '../../format.ts';
import type { ChurnView } from '../../timeline-views.ts';

/** `14 pods evicted (0.86 per pod and day); nodes that went lived 6 h, the shortest tenth 12 min`. */
export function describeChurn({ evictions, evictionsPerPodDay, lifetimeMs }: ChurnView): string {
  const rate =
    evictionsPerPodDay === undefined ? '' : ` (${Number(evictionsPerPodDay.toPrecision(2))} per pod and day)`;
  const evicted = `${plural(evictions, 'pod')} evicted${rate}`;
  if (!lifetimeMs) return evicted;
  const { p50, p10 } = lifetimeMs;
  return `${evicted}; nodes that went lived ${formatDuration(p50)} (p50), ${formatDuration(p10)} (p10)`;
}
