import type { Hint } from '../../shared/ports/work-queue.ts';

/**
 * Claims, and changed nodes whose claim is still to be found. Other notices are not believed here:
 * the intake, which anybody can call who has the token, may write to this queue.
 */
export const isForLifecycle = (hint: Hint): boolean =>
  hint.topic === 'claim' || (hint.topic === 'interruption' && hint.notice.kind === 'state-change');
