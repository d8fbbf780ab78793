import type { Rect } from './layout.ts';
import type { Scene, SceneBox } from './scene.ts';

/** The part of the map that is drawn, in pixels of the layout. */
export interface MapWindow {
  readonly top: number;
  readonly height: number;
}

/** The window moves in steps of this height, and reaches at least one step beyond the view. */
const STEP = 120;

/**
 * Computes the window for a view. A canvas as high as a map of 1,000 nodes takes most of a frame to be
 * shown, so that scrolling would stutter.
 *
 * @param scrollTop - how far the map is scrolled
 * @param viewHeight - the height of the part that can be seen
 * @param contentHeight - the height of the whole map
 */
export function windowAt(scrollTop: number, viewHeight: number, contentHeight: number): MapWindow {
  const height = Math.min(contentHeight, (Math.ceil(viewHeight / STEP) + 3) * STEP);
  const above = (Math.floor(scrollTop / STEP) - 1) * STEP;
  return { top: Math.max(0, Math.min(above, contentHeight - height)), height };
}

export const isInWindow = ({ y, h }: Rect, { top, height }: MapWindow): boolean => y + h > top && y < top + height;

/** Lists the boxes that the window contains or cuts. */
export const listBoxesIn = (scene: Scene, window: MapWindow): readonly SceneBox[] =>
  scene.layout.lanes.flatMap(({ rows }) =>
    rows
      .filter(([first]) => first && isInWindow(first, window))
      .flatMap((row) => row.flatMap(({ name }) => scene.boxes.get(name) ?? [])),
  );
