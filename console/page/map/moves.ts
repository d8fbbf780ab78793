import type { Scene } from './scene.ts';

/** The offset of each moved box from its old position, by name. */
export type Moves = ReadonlyMap<string, { readonly dx: number; readonly dy: number }>;

export const NO_MOVES: Moves = new Map();
/** More moves at once cannot be followed by the eye. */
const MOST_MOVES = 40;

/** Finds boxes with a new position; none if the whole layout changed. */
export function movesBetween(before: Scene | undefined, scene: Scene): Moves {
  if (before?.layout.level !== scene.layout.level) return NO_MOVES;
  const moves = new Map<string, { dx: number; dy: number }>();
  for (const [name, { box }] of scene.boxes) {
    const old = before.boxes.get(name)?.box;
    if (!old || (old.x === box.x && old.y === box.y)) continue;
    moves.set(name, { dx: old.x - box.x, dy: old.y - box.y });
  }
  return moves.size <= MOST_MOVES ? moves : NO_MOVES;
}

/** Remaining share of the way after a share of the time: fast at first, then slow. */
export const remaining = (share: number): number => (1 - Math.min(1, Math.max(0, share))) ** 3;
