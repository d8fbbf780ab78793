import type { Brush } from './paint-box.ts';
import { paintBox } from './paint-box.ts';
import type { OverlayState } from './paint-overlay.ts';
import { paintOverlay } from './paint-overlay.ts';
import type { Palette } from './palette.ts';
import type { Scene, SceneBox } from './scene.ts';
import { textFitter } from './text-fit.ts';

export interface MapRenderer {
  /** Draws the nodes that changed since the call before; all of them when the theme or size did. */
  drawStill(scene: Scene, palette: Palette): void;
  drawOverlay(scene: Scene, palette: Palette, overlay: OverlayState): void;
  stats(): DrawStats;
}

export interface DrawStats {
  readonly frames: number;
  /** Of the newest 240 frames. */
  readonly medianMs: number;
  readonly longestMs: number;
  readonly drawnBoxes: number;
}

/** Space around the boxes, for halos of the outermost. */
export const MARGIN = 6;
const KEPT_FRAMES = 240;

export function mapRenderer(still: HTMLCanvasElement, overlay: HTMLCanvasElement): MapRenderer {
  const stillContext = contextOf(still);
  const overlayContext = contextOf(overlay);
  const stillFitter = textFitter(stillContext);
  const frameMs: number[] = [];
  let drawn: { scene: Scene; palette: Palette } | undefined;
  let frames = 0;
  let drawnBoxes = 0;

  const timed = (draw: () => void) => {
    const start = performance.now();
    draw();
    frameMs.push(performance.now() - start);
    if (frameMs.length > KEPT_FRAMES) frameMs.shift();
    frames += 1;
  };

  return {
    drawStill(scene, palette) {
      timed(() => {
        const resized = fitToScene(still, scene);
        const isFresh = !drawn || drawn.palette !== palette || resized;
        const brush: Brush = { context: stillContext, palette, fitter: stillFitter };
        const boxes = isFresh ? [...scene.boxes.values()] : changedBoxes(scene, drawn?.scene);
        if (isFresh) clearAll(stillContext, still);
        else for (const old of outdated(scene, drawn?.scene)) clearBox(stillContext, old);
        for (const box of boxes) paintBox(brush, scene, box);
        drawnBoxes += boxes.length;
        drawn = { scene, palette };
      });
    },
    drawOverlay(scene, palette, state) {
      timed(() => {
        fitToScene(overlay, scene);
        clearAll(overlayContext, overlay);
        const brush: Brush = { context: overlayContext, palette, fitter: stillFitter };
        paintOverlay(brush, scene, state);
      });
    },
    stats() {
      const sorted = frameMs.toSorted((a, b) => a - b);
      return {
        frames,
        medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
        longestMs: sorted.at(-1) ?? 0,
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

/** Gives the canvas as many pixels as the screen has; true when that changed, and it is empty. */
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

const changedBoxes = (scene: Scene, before: Scene | undefined): SceneBox[] =>
  [...scene.boxes].flatMap(([name, box]) => (before?.boxes.get(name) === box ? [] : [box]));

const outdated = (scene: Scene, before: Scene | undefined): SceneBox[] =>
  [...(before?.boxes ?? [])].flatMap(([name, box]) => (scene.boxes.get(name) === box ? [] : [box]));
