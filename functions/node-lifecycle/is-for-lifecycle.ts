import type { Hint } from '../../shared/ports/work-queue.ts';

/**
 * Accepts hints about claims and changed nodes. Interruption notices in this queue are ignored: the
 * public intake can write to it, so their sender is not authenticated.
 */
export const isForLifecycle = (hint: Hint): boolean =>
  hint.topic === 'claim' || (hint.topic === 'interruption' && hint.notice.kind === 'state-change');
