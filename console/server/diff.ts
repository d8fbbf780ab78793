import type { Change, PatchView, StateView } from '../views.ts';

/** Computes the patch from `before` to `after`; undefined if they are equal. */
export function diffStates(before: StateView, after: StateView): PatchView | undefined {
  const nodes = changed(before.nodes, after.nodes, ({ name }) => name);
  const pods = changed(before.pods, after.pods, ({ key }) => key);
  const patch = {
    ...(nodes ? { nodes } : {}),
    ...(pods ? { pods } : {}),
    ...(same(before.pending, after.pending) ? {} : { pending: after.pending }),
    ...(same(before.totals, after.totals) ? {} : { totals: after.totals }),
    ...(same(before.namespaces, after.namespaces) ? {} : { namespaces: after.namespaces }),
    ...(same(before.notices, after.notices) ? {} : { notices: after.notices ?? [] }),
    ...(same(before.proposal, after.proposal) ? {} : { proposal: after.proposal ?? null }),
    ...(after.play === undefined || same(before.play, after.play) ? {} : { play: after.play }),
  };
  return Object.keys(patch).length === 0 ? undefined : { at: after.clock.now, ...patch };
}

function changed<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (view: T) => string,
): Change<T> | undefined {
  const old = new Map(before.map((view) => [keyOf(view), view]));
  const upserts: T[] = [];
  for (const view of after) {
    const key = keyOf(view);
    const previous = old.get(key);
    if (previous === undefined || !same(previous, view)) upserts.push(view);
    old.delete(key);
  }
  return upserts.length === 0 && old.size === 0
    ? undefined
    : { upserts, removals: [...old.keys()] };
}

/** Compares plain data. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [mine, theirs] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    mine.length === theirs.size &&
    mine.every(([key, value]) => theirs.has(key) && same(value, theirs.get(key)))
  );
}
