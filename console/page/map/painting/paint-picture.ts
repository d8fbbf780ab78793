import { isInWindow, type MapWindow } from '../layout/map-window.ts';
import type { Moves, SceneBox } from '../layout/scene.ts';
import type { Brush } from './brush.ts';
import { paintBox } from './paint-box.ts';
import {
  clearBox,
  clearSurface,
  copySurface,
  fitToPicture,
  listMissing,
  type Picture,
  type Surface,
} from './surface.ts';

/** The time for boxes in a frame. Showing them takes nearly as long again without a GPU. */
const SLICE_MS = 5;

export interface Slice {
  /** Boxes that are not painted, because they are on their way. */
  readonly moves: Moves;
  /** The part of the map that can be seen; it is painted first. */
  readonly sight: MapWindow;
  /** True if everything in sight is to be painted at once. */
  readonly isUrgent: boolean;
}

export interface SliceResult {
  readonly paintedBoxes: number;
  readonly isSightPainted: boolean;
  readonly isAllPainted: boolean;
}

/** Paints some of the boxes that the surface does not show yet. */
export function paintSlice(brush: Brush, surface: Surface, { moves, sight, isUrgent }: Slice): SliceResult {
  const missing = listMissing(surface).filter(({ box }) => !moves.has(box.name));
  const near = missing.filter(({ box }) => isInWindow(box, sight));
  const far = missing.filter(({ box }) => !isInWindow(box, sight));
  const end = performance.now() + SLICE_MS;
  const nearBoxes = paintUntil(brush, surface, near, isUrgent ? Infinity : end);
  const isSightPainted = nearBoxes === near.length;
  const farBoxes = isSightPainted ? paintUntil(brush, surface, far, end) : 0;
  return {
    paintedBoxes: nearBoxes + farBoxes,
    isSightPainted,
    isAllPainted: nearBoxes + farBoxes === missing.length,
  };
}

/** Returns how many boxes were painted before the time was over. */
function paintUntil(brush: Brush, surface: Surface, boxes: readonly SceneBox[], end: number): number {
  const { picture, painted } = surface;
  if (!picture) return 0;
  let count = 0;
  for (const scened of boxes) {
    if (performance.now() > end) break;
    if (painted.has(scened.box.name)) clearBox(surface, scened);
    paintBox(brush, picture.scene, scened);
    painted.set(scened.box.name, scened);
    count += 1;
  }
  return count;
}

/**
 * Shows the resting boxes of another surface, and the others on their way. The result is not a
 * picture that could be copied.
 */
export function paintMoves(
  brush: Brush,
  surface: Surface,
  resting: Surface,
  { picture, moves, remainingShare }: MovesFrame,
): void {
  fitToPicture(surface, picture);
  clearSurface(surface);
  copySurface(surface, resting);
  surface.picture = undefined;
  const { context } = surface;
  for (const [name, { dx, dy }] of moves) {
    const scened = picture.scene.boxes.get(name);
    if (!scened) continue;
    context.save();
    context.translate(dx * remainingShare, dy * remainingShare);
    paintBox(brush, picture.scene, scened);
    context.restore();
  }
}

interface MovesFrame {
  readonly picture: Picture;
  readonly moves: Moves;
  readonly remainingShare: number;
}
