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
  let column: Weighted<T>[] = [];

  const close = () => {
    const w = columnWidth(column, area);
    let y = area.y;
    for (const { item, share } of column) {
      const h = w === 0 ? 0 : (share * area.w * area.h) / w;
      tiles.push({ item, x, y, w, h });
      y += h;
    }
    x += w;
  };

  for (const item of items) {
    const grown = [...column, item];
    if (column.length > 0 && meanAspectRatio(grown, area) > meanAspectRatio(column, area)) {
      close();
      column = [item];
    } else {
      column = grown;
    }
  }
  if (column.length > 0) close();
  return tiles;
}

const columnWidth = (column: readonly Weighted<unknown>[], { w }: Rect): number =>
  column.reduce((sum, { share }) => sum + share, 0) * w;

/** Mean ratio of long to short side; 1 is square. */
function meanAspectRatio(column: readonly Weighted<unknown>[], area: Rect): number {
  const w = columnWidth(column, area);
  if (w === 0) return 1;
  const ratios = column.map(({ share }) => {
    const h = (share * area.w * area.h) / w;
    return h === 0 ? 1 : Math.max(w / h, h / w);
  });
  return ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
}

export const findTileAt = <T>(tiles: readonly Tile<T>[], x: number, y: number): T | undefined =>
  tiles.find((tile) => contains(tile, x, y))?.item;
