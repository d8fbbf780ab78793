import type { Box, MapLayout, Rect } from './layout.ts';
import type { Tile } from './tiling.ts';

const contains = ({ x, y, w, h }: Rect, px: number, py: number): boolean =>
  px >= x && px < x + w && py >= y && py < y + h;

/** Finds the box at a point: lane, then row, then offset. */
export function boxAt({ lanes }: MapLayout, x: number, y: number): Box | undefined {
  const lane = lanes.find((candidate) => y >= candidate.y && y < candidate.y + candidate.h);
  const row = lane?.rows.find(([first]) => first && y >= first.y && y < first.y + first.h);
  return row?.find((box) => contains(box, x, y));
}

export const tileAt = <T>(tiles: readonly Tile<T>[], x: number, y: number): T | undefined =>
  tiles.find((tile) => contains(tile, x, y))?.item;
