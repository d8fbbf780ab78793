import type { Hint, HintOf, NodeChange } from '../../shared/ports/work-queue.ts';

type LifecycleHint = HintOf<'claim'> | (HintOf<'interruption'> & { readonly notice: NodeChange });

/**
 * Accepts hints about claims and changed nodes. Interruption notices in this queue are ignored: the
 * public intake can write to it, so their sender is not authenticated.
 */
export const isForLifecycle = (hint: Hint): hint is LifecycleHint =>
  hint.topic === 'claim' || (hint.topic === 'interruption' && hint.notice.kind === 'state-change');
