import { isDeepStrictEqual } from 'node:util';
import type { Change, PatchView, StateView } from '../views.ts';

/** Computes the patch from `before` to `after`; undefined if they are equal. */
export function diffStates(before: StateView, after: StateView): PatchView | undefined {
  const nodes = changed(before.nodes, after.nodes, ({ name }) => name);
  const pods = changed(before.pods, after.pods, ({ key }) => key);
  const patch = {
    ...(nodes && { nodes }),
    ...(pods && { pods }),
    ...(!isDeepStrictEqual(before.pending, after.pending) && { pending: after.pending }),
    ...(!isDeepStrictEqual(before.totals, after.totals) && { totals: after.totals }),
    ...(!isDeepStrictEqual(before.namespaces, after.namespaces) && { namespaces: after.namespaces }),
    ...(!isDeepStrictEqual(before.notices, after.notices) && { notices: after.notices ?? [] }),
    ...(!isDeepStrictEqual(before.proposal, after.proposal) && { proposal: after.proposal ?? null }),
    ...(after.play === undefined || isDeepStrictEqual(before.play, after.play) ? {} : { play: after.play }),
  };
  return Object.keys(patch).length === 0 ? undefined : { at: after.clock.now, ...patch };
}

function changed<T>(before: readonly T[], after: readonly T[], keyOf: (view: T) => string): Change<T> | undefined {
  const old = new Map(before.map((view) => [keyOf(view), view]));
  const upserts: T[] = [];
  for (const view of after) {
    const key = keyOf(view);
    const previous = old.get(key);
    if (previous === undefined || !isDeepStrictEqual(previous, view)) upserts.push(view);
    old.delete(key);
  }
  return upserts.length === 0 && old.size === 0 ? undefined : { upserts, removals: [...old.keys()] };
}
