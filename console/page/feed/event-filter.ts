import type { EventView } from '../../views.ts';

export const EVENT_GROUPS = ['all', 'launches', 'removals', 'capacity', 'actions', 'other'] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

const KINDS: Readonly<Record<Exclude<EventGroup, 'all' | 'other'>, ReadonlySet<string>>> = {
  launches: new Set(['launch', 'placed', 'ready', 'adopted', 'unplaced', 'launch-refused']),
  removals: new Set([
    ...['draining', 'remove', 'remove-empty', 'replace', 'terminated', 'evicted', 'pod-deleted'],
    ...['expired', 'drifted', 'replace-drifted', 'eviction-refused', 'eviction-failed'],
    ...['drain-stuck', 'consolidation-dropped', 'move-back-prevented', 'owner-restarted', 'replacement-requested'],
  ]),
  capacity: new Set([
    ...['interruption', 'rebalance', 'unavailable', 'block-ends'],
    ...['zonal-shift-active', 'zonal-shift-cleared', 'shifts-unknown'],
  ]),
  actions: new Set(['you']),
};

/** The group that the filter of the feed shows an event in. */
export function groupOfEvent({ kind }: Pick<EventView, 'kind'>): Exclude<EventGroup, 'all'> {
  if (KINDS.launches.has(kind)) return 'launches';
  if (KINDS.removals.has(kind)) return 'removals';
  if (KINDS.capacity.has(kind)) return 'capacity';
  return KINDS.actions.has(kind) ? 'actions' : 'other';
}
