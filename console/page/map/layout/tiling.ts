import { contains, type Rect } from './layout.ts';

export interface Tile<T> extends Rect {
  readonly item: T;
}

export interface Weighted<T> {
  readonly item: T;
  /** Share of the whole area; all together at most 1. */
  readonly share: number;
}

/**
 * Arranges items in columns from the left, in the given order; the free area stays in one piece on
 * the right. A column takes one more item as long as that makes tiles squarer.
 */
export function tileFromLeft<T>(items: readonly Weighted<T>[], area: Rect): Tile<T>[] {
  const tiles: Tile<T>[] = [];
  let x = area.x;
  let column: Column = { from: 0, to: 0, share: 0 };

  const close = () => {
    const w = column.share * area.w;
    let y = area.y;
    for (const { item, share } of items.slice(column.from, column.to)) {
      const h = w === 0 ? 0 : (share * area.w * area.h) / w;
      tiles.push({ item, x, y, w, h });
      y += h;
    }
    x += w;
    column = { from: column.to, to: column.to, share: 0 };
  };

  for (const { share } of items) {
    const grown = { ...column, to: column.to + 1, share: column.share + share };
    if (column.to > column.from && meanAspectRatio(items, grown, area) > meanAspectRatio(items, column, area)) {
      close();
      column = { ...column, to: column.to + 1, share };
    } else {
      column = grown;
    }
  }
  if (column.to > column.from) close();
  return tiles;
}

/** Neighbouring items; thousands of columns are compared for a picture, so it has no copies of them. */
interface Column {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** The sum of all its items. */
  readonly share: number;
}

/** Mean ratio of long to short side; 1 is square. */
function meanAspectRatio(
  items: readonly Weighted<unknown>[],
  { from, to, share: columnShare }: Column,
  area: Rect,
): number {
  const w = columnShare * area.w;
  if (w === 0) return 1;
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    const h = ((items[index]?.share ?? 0) * area.w * area.h) / w;
    sum += h === 0 ? 1 : Math.max(w / h, h / w);
  }
  return sum / (to - from);
}

export const findTileAt = <T>(tiles: readonly Tile<T>[], x: number, y: number): T | undefined =>
  tiles.find((tile) => contains(tile, x, y))?.item;
