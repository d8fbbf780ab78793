import { listBoxesIn, type MapWindow } from '../layout/map-window.ts';
import {
  easeOutRemaining,
  findMoves,
  type Moves,
  NO_MOVES,
  type Scene,
  type SceneBox,
} from '../layout/scene.ts';
import type { Brush } from './brush.ts';
import { paintBox } from './paint-box.ts';
import type { OverlayState } from './paint-overlay.ts';
import { paintOverlay } from './paint-overlay.ts';
import type { Palette } from './palette.ts';
import { createTextFitter } from './text-fit.ts';

export interface MapRenderer {
  /** Draws the nodes that changed since the last call; all after a change of theme, size or window. */
  drawStill(picture: Picture): void;
  drawOverlay(picture: Picture, overlay: OverlayState): void;
  stats(): DrawStats;
}

export interface Picture {
  readonly scene: Scene;
  readonly palette: Palette;
  /** Nothing outside of it is drawn. */
  readonly window: MapWindow;
}

export interface DrawStats {
  readonly frames: number;
  /** Median of the newest 240 frames. */
  readonly medianMs: number;
  readonly maxMs: number;
  readonly drawnBoxes: number;
}

/** Space around the boxes for the halos of the outermost ones. */
export const MARGIN = 6;
const KEPT_FRAMES = 240;
const MOVE_MS = 250;

interface Motion {
  readonly moves: Moves;
  /** In the time of `performance.now()`. */
  readonly start: number;
}

const isCalm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

export function createMapRenderer(
  still: HTMLCanvasElement,
  overlay: HTMLCanvasElement,
): MapRenderer {
  const stillContext = contextOf(still);
  const overlayContext = contextOf(overlay);
  const fitter = createTextFitter(stillContext);
  const frameMs: number[] = [];
  let drawn: Picture | undefined;
  let frames = 0;
  let drawnBoxes = 0;
  let frame = 0;
  let motion: Motion | undefined;

  const timed = (draw: () => void) => {
    const start = performance.now();
    draw();
    frameMs.push(performance.now() - start);
    if (frameMs.length > KEPT_FRAMES) frameMs.shift();
    frames += 1;
  };

  const paintStill = (picture: Picture) => {
    const { scene, palette, window } = picture;
    const isMoved = fitToWindow(still, picture);
    const before = drawn?.palette === palette && !isMoved ? drawn.scene : undefined;
    const brush: Brush = { context: stillContext, palette, fitter };
    const boxes = listChanged(scene, before, window);
    if (before) for (const old of listChanged(before, scene, window)) clearBox(stillContext, old);
    else clearAll(stillContext, still);
    for (const box of boxes) paintBox(brush, scene, box);
    drawnBoxes += boxes.length;
    drawn = picture;
  };

  /** Draws one frame of a move. Everything is drawn, because moving boxes cross others. */
  const paintMoves = (picture: Picture, moves: Moves, remainingShare: number) => {
    const { scene, palette, window } = picture;
    const brush: Brush = { context: stillContext, palette, fitter };
    fitToWindow(still, picture);
    clearAll(stillContext, still);
    const resting = listBoxesIn(scene, window).filter(({ box }) => !moves.has(box.name));
    for (const box of resting) paintBox(brush, scene, box);
    for (const [name, { dx, dy }] of moves) {
      const box = scene.boxes.get(name);
      if (!box) continue;
      stillContext.save();
      stillContext.translate(dx * remainingShare, dy * remainingShare);
      paintBox(brush, scene, box);
      stillContext.restore();
    }
    drawnBoxes += resting.length + moves.size;
  };

  const animate = ({ moves, start }: Motion) => {
    frame = requestAnimationFrame((now) => {
      if (!drawn) return;
      const picture = drawn;
      const remainingShare = easeOutRemaining((now - start) / MOVE_MS);
      timed(() => paintMoves(picture, moves, remainingShare));
      motion = remainingShare > 0 ? { moves, start } : undefined;
      if (motion) animate(motion);
    });
  };

  return {
    drawStill(picture) {
      cancelAnimationFrame(frame);
      const moves = isCalm() ? NO_MOVES : findMoves(drawn?.scene, picture.scene);
      if (moves.size > 0) motion = { moves, start: performance.now() };
      if (!motion) return timed(() => paintStill(picture));
      // Changes during a move are drawn by its frames.
      drawn = picture;
      animate(motion);
    },
    drawOverlay(picture, state) {
      const { scene, palette, window } = picture;
      timed(() => {
        fitToWindow(overlay, picture);
        clearAll(overlayContext, overlay);
        const brush: Brush = { context: overlayContext, palette, fitter };
        paintOverlay(brush, scene, listBoxesIn(scene, window), state);
      });
    },
    stats() {
      const sorted = frameMs.toSorted((a, b) => a - b);
      return {
        frames,
        medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
        maxMs: sorted.at(-1) ?? 0,
        drawnBoxes,
      };
    },
  };
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser has no canvas');
  return context;
}

/** Sets the canvas to its place and the screen's resolution; returns true if all must be drawn. */
function fitToWindow(canvas: HTMLCanvasElement, { scene, window }: Picture): boolean {
  const ratio = devicePixelRatio;
  const [width, height] = [scene.layout.width + 2 * MARGIN, window.height + 2 * MARGIN];
  const [pixelWidth, pixelHeight] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  const top = `${window.top}px`;
  const isSameSize = canvas.width === pixelWidth && canvas.height === pixelHeight;
  if (isSameSize && canvas.style.top === top) return false;
  if (!isSameSize) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  canvas.style.top = top;
  const offset = (MARGIN - window.top) * ratio;
  canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, MARGIN * ratio, offset);
  return true;
}

function clearAll(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement): void {
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.restore();
}

function clearBox(context: CanvasRenderingContext2D, { box }: SceneBox): void {
  context.clearRect(box.x - 1, box.y - 1, box.w + 2, box.h + 2);
}

/** The boxes in the window that differ from those of another scene. */
const listChanged = (
  scene: Scene,
  than: Scene | undefined,
  window: MapWindow,
): readonly SceneBox[] =>
  listBoxesIn(scene, window).filter((scened) => than?.boxes.get(scened.box.name) !== scened);
