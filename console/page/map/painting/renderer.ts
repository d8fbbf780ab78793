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
  /** Draws the nodes that changed since the last call, or all after a change of theme or size. */
  drawStill(scene: Scene, palette: Palette): void;
  drawOverlay(scene: Scene, palette: Palette, overlay: OverlayState): void;
  stats(): DrawStats;
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
  let drawn: { scene: Scene; palette: Palette } | undefined;
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

  const paintStill = (scene: Scene, palette: Palette) => {
    const resized = fitToScene(still, scene);
    const before = drawn?.palette === palette && !resized ? drawn.scene : undefined;
    const brush: Brush = { context: stillContext, palette, fitter };
    const boxes = changedBoxes(scene, before);
    if (before) for (const old of changedBoxes(before, scene)) clearBox(stillContext, old);
    else clearAll(stillContext, still);
    for (const box of boxes) paintBox(brush, scene, box);
    drawnBoxes += boxes.length;
    drawn = { scene, palette };
  };

  /** Draws one frame of a move. Everything is drawn, because moving boxes cross others. */
  const paintMoves = (scene: Scene, palette: Palette, moves: Moves, remainingShare: number) => {
    const brush: Brush = { context: stillContext, palette, fitter };
    fitToScene(still, scene);
    clearAll(stillContext, still);
    for (const [name, box] of scene.boxes) if (!moves.has(name)) paintBox(brush, scene, box);
    for (const [name, { dx, dy }] of moves) {
      const box = scene.boxes.get(name);
      if (!box) continue;
      stillContext.save();
      stillContext.translate(dx * remainingShare, dy * remainingShare);
      paintBox(brush, scene, box);
      stillContext.restore();
    }
    drawnBoxes += scene.boxes.size;
  };

  const animate = ({ moves, start }: Motion) => {
    frame = requestAnimationFrame((now) => {
      if (!drawn) return;
      const { scene, palette } = drawn;
      const remainingShare = easeOutRemaining((now - start) / MOVE_MS);
      timed(() => paintMoves(scene, palette, moves, remainingShare));
      motion = remainingShare > 0 ? { moves, start } : undefined;
      if (motion) animate(motion);
    });
  };

  return {
    drawStill(scene, palette) {
      cancelAnimationFrame(frame);
      const moves = isCalm() ? NO_MOVES : findMoves(drawn?.scene, scene);
      if (moves.size > 0) motion = { moves, start: performance.now() };
      if (!motion) return timed(() => paintStill(scene, palette));
      // Changes during a move are drawn by its frames.
      drawn = { scene, palette };
      animate(motion);
    },
    drawOverlay(scene, palette, state) {
      timed(() => {
        fitToScene(overlay, scene);
        clearAll(overlayContext, overlay);
        const brush: Brush = { context: overlayContext, palette, fitter };
        paintOverlay(brush, scene, state);
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

/** Sets the canvas to the screen's resolution; returns true if that cleared it. */
function fitToScene(canvas: HTMLCanvasElement, { layout }: Scene): boolean {
  const ratio = window.devicePixelRatio;
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  const [pixelWidth, pixelHeight] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  if (canvas.width === pixelWidth && canvas.height === pixelHeight) return false;
  canvas.width = pixelWidth;
  canvas.height = pixelHeight;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, MARGIN * ratio, MARGIN * ratio);
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

/** Boxes of `scene` that differ from those in `than`. */
const changedBoxes = (scene: Scene, than: Scene | undefined): SceneBox[] =>
  [...scene.boxes].flatMap(([name, box]) => (than?.boxes.get(name) === box ? [] : [box]));
