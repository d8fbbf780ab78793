import type { Lane } from './lanes.ts';

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** A zoom level; one vCPU has the same area on every node of a level. */
export interface Level {
  readonly pxPerVcpu: number;
  readonly boxHeight: number;
  readonly gap: number;
  /** Tiles with names, tiles, or stripes of whole namespaces. */
  readonly detail: 'labels' | 'tiles' | 'stripes';
}

/** From near to far. Below 14 px per vCPU names do not fit into tiles. */
export const LEVELS: readonly Level[] = [
  { pxPerVcpu: 36, boxHeight: 112, gap: 6, detail: 'labels' },
  { pxPerVcpu: 31, boxHeight: 102, gap: 6, detail: 'labels' },
  { pxPerVcpu: 27, boxHeight: 92, gap: 6, detail: 'labels' },
  { pxPerVcpu: 23, boxHeight: 84, gap: 6, detail: 'labels' },
  { pxPerVcpu: 20, boxHeight: 78, gap: 6, detail: 'labels' },
  { pxPerVcpu: 17, boxHeight: 74, gap: 6, detail: 'labels' },
  { pxPerVcpu: 14, boxHeight: 70, gap: 6, detail: 'labels' },
  { pxPerVcpu: 11, boxHeight: 58, gap: 4, detail: 'tiles' },
  { pxPerVcpu: 8, boxHeight: 46, gap: 4, detail: 'tiles' },
  { pxPerVcpu: 6, boxHeight: 34, gap: 4, detail: 'tiles' },
  { pxPerVcpu: 4, boxHeight: 22, gap: 2, detail: 'stripes' },
  { pxPerVcpu: 2.5, boxHeight: 14, gap: 2, detail: 'stripes' },
];

export interface Box extends Rect {
  readonly name: string;
}

interface LaneLayout {
  readonly name: string;
  readonly y: number;
  readonly h: number;
  /** Boxes from left to right, row by row. */
  readonly rows: readonly (readonly Box[])[];
}

export interface MapLayout {
  readonly level: Level;
  readonly lanes: readonly LaneLayout[];
  readonly width: number;
  readonly height: number;
}

/** Height for a lane's name, count and cost. */
const LANE_MIN_HEIGHT = 46;
const LANE_GAP = 15;

export function layoutMap(lanes: readonly Lane[], width: number, level: Level): MapLayout {
  let y = 0;
  const laid = lanes.map((lane): LaneLayout => {
    const rows = rowsOf(lane, width, level, y);
    const h = Math.max(LANE_MIN_HEIGHT, rows.length * (level.boxHeight + level.gap) - level.gap);
    const placed = { name: lane.name, y, h, rows };
    y += h + LANE_GAP;
    return placed;
  });
  return { level, lanes: laid, width, height: Math.max(0, y - LANE_GAP) };
}

const boxWidth = (vcpu: number, { pxPerVcpu }: Level): number => Math.round(vcpu * pxPerVcpu);

/** Fills rows in order; a box that does not fit starts the next row. */
function rowsOf({ nodes }: Lane, width: number, level: Level, top: number): Box[][] {
  const rows: Box[][] = [];
  let x = Infinity;
  for (const { node } of nodes) {
    const w = boxWidth(node.vcpu, level);
    if (x + w > width) {
      rows.push([]);
      x = 0;
    }
    const y = top + (rows.length - 1) * (level.boxHeight + level.gap);
    rows.at(-1)?.push({ name: node.name, x, y, w, h: level.boxHeight });
    x += w + level.gap;
  }
  return rows;
}

/**
 * Finds the nearest level at which everything fits, with some space left, so that one more node
 * seldom changes the level. All tabs of one size choose the same level.
 */
export function fitLayout(lanes: readonly Lane[], { w, h }: { readonly w: number; readonly h: number }): MapLayout {
  for (const level of LEVELS) {
    if (!boxesFit(lanes, w, level)) continue;
    const layout = layoutMap(lanes, w, level);
    if (layout.height + level.boxHeight / 2 <= h) return layout;
  }
  return layoutMap(lanes, w, farthest);
}

/** Lays the map out at a level, or at the nearest one beyond at which every box fits the width. */
export function layoutAt(lanes: readonly Lane[], width: number, chosen: Level): MapLayout {
  const level = LEVELS.slice(LEVELS.indexOf(chosen)).find((one) => boxesFit(lanes, width, one));
  return layoutMap(lanes, width, level ?? farthest);
}

const farthest: Level = LEVELS.at(-1) ?? {
  pxPerVcpu: 2.5,
  boxHeight: 14,
  gap: 2,
  detail: 'stripes',
};

const boxesFit = (lanes: readonly Lane[], width: number, level: Level): boolean =>
  lanes.every(({ nodes }) => nodes.every(({ node }) => boxWidth(node.vcpu, level) <= width));

export const contains = ({ x, y, w, h }: Rect, px: number, py: number): boolean =>
  px >= x && px < x + w && py >= y && py < y + h;

/** Finds the box at a point: lane, then row, then offset. */
export function findBoxAt({ lanes }: MapLayout, x: number, y: number): Box | undefined {
  const lane = lanes.find((candidate) => y >= candidate.y && y < candidate.y + candidate.h);
  const row = lane?.rows.find(([first]) => first && y >= first.y && y < first.y + first.h);
  return row?.find((box) => contains(box, x, y));
}
