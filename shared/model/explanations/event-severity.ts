import type { ClusterEvent } from './events.ts';

/**
 * Events that need attention, because something does not go as planned: all whose Kubernetes Event is a warning, which
 * a test compares, and some without one.
 */
const WARNING_KINDS: ReadonlySet<ClusterEvent['kind']> = new Set([
  'unplaced',
  'capped',
  'pods-not-received',
  'plan-unfinished',
  'pods-set-aside',
  'node-set-aside',
  'planning-paused',
  'unavailable',
  'launch-refused',
  'not-registered',
  'node-missing',
  'unguarded',
  'inconsistent',
  'interruption',
  'impaired',
  'block-ends',
  'class-not-ready',
  'move-back-prevented',
  'eviction-refused',
  'eviction-failed',
  'drain-stuck',
  'repair-blocked',
  'reboot-failed',
  'rollout-stopped',
  'unexplained',
  'cluster-deleted',
  'zonal-shift-active',
  'shifts-unknown',
]);

/** The level at which logs have the event. */
export function severityOf(event: ClusterEvent): 'info' | 'warn' {
  const isObstacle =
    (event.kind === 'draining' && event.deadline !== undefined) ||
    (event.kind === 'owner-restarted' && event.why !== undefined);
  return isObstacle || WARNING_KINDS.has(event.kind) ? 'warn' : 'info';
}
