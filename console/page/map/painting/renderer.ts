import { getOrCreate } from '../../../../shared/model/memo.ts';
import { listBoxesIn, type MapWindow } from '../layout/map-window.ts';
import { easeOutRemaining, findMoves, type Moves, NO_MOVES } from '../layout/scene.ts';
import { type Brush, createDots } from './brush.ts';
import { isOverlayBlank, type OverlayState, paintOverlay } from './paint-overlay.ts';
import { paintMoves, paintSlice } from './paint-picture.ts';
import {
  canContinue,
  clearSurface,
  createSurface,
  fitToPicture,
  type Picture,
  prepareSurface,
  type Surface,
} from './surface.ts';
import { createTextFitter } from './text-fit.ts';

/**
 * Draws the map. A frame of 60 per second has 16.7 ms, and a picture of 1,000 nodes takes longer, so
 * pictures are painted in slices, on the hidden one of two canvases:
 *
 *   frame          1                2              3               4              5
 *   hidden canvas  copy, 90 boxes   180 in sight   (the old one)
 *   shown canvas   old              old            new             300 boxes      350: complete
 *
 * What the shown canvas already has of the next picture is copied, which is most of it after
 * scrolling. The other boxes are painted, those in sight first, a few milliseconds in each frame. Once
 * all in sight are painted, the canvases change places, and the elements over them follow in the same
 * frame. If no box moves, only changed boxes are painted, on the shown canvas.
 */
export interface MapRenderer {
  /**
   * Replaces a picture that is not complete yet.
   *
   * @param onShown - called in the frame that first shows the picture
   */
  paint(picture: Picture, onShown: (picture: Picture) => void): void;
  drawOverlay(picture: Picture, overlay: OverlayState): void;
  stats(): DrawStats;
  stop(): void;
}

export interface MapView {
  /** Two canvases at one place, of which one is shown. */
  readonly stills: readonly [HTMLCanvasElement, HTMLCanvasElement];
  readonly overlay: HTMLCanvasElement;
  /** Reads which part of the map can be seen. */
  getSight(): MapWindow;
}

export interface DrawStats {
  readonly frames: number;
  /** Median of the newest 240 frames. */
  readonly medianMs: number;
  readonly maxMs: number;
  readonly drawnBoxes: number;
}

/** If pictures replace each other for so long before one is complete, the next is painted at once. */
const MAX_WAIT_MS = 250;
const KEPT_FRAMES = 240;
const MOVE_MS = 250;

/** A picture that is being painted. */
interface Job {
  readonly surface: Surface;
  readonly picture: Picture;
  readonly onShown: (picture: Picture) => void;
  /** Since when the page waits for a picture, in the time of `performance.now()`. */
  readonly since: number;
  /** True once all in sight is on the shown canvas, or on its way there. */
  isShown: boolean;
  /** Boxes that move to their new positions once all others in sight are painted. */
  moves: Moves;
  movingSince: number | undefined;
}

const isCalm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

export function createMapRenderer(view: MapView): MapRenderer {
  let [shown, hidden] = [createSurface(view.stills[0]), createSurface(view.stills[1])];
  const overlay = createSurface(view.overlay);
  const fitter = createTextFitter(overlay.context);
  const dotsByColor = new Map<string, Brush['dots']>();
  const frameMs: number[] = [];
  let isBlank = true;
  let shownPicture: Picture | undefined;
  let job: Job | undefined;
  let frame = 0;
  let frames = 0;
  let drawnBoxes = 0;

  const showCanvases = () => {
    shown.canvas.style.visibility = 'visible';
    hidden.canvas.style.visibility = 'hidden';
  };
  showCanvases();

  const timed = <T>(draw: () => T): T => {
    const start = performance.now();
    const result = draw();
    frameMs.push(performance.now() - start);
    if (frameMs.length > KEPT_FRAMES) frameMs.shift();
    frames += 1;
    return result;
  };

  const brushFor = ({ context }: Surface, { palette }: Picture): Brush => {
    const key = `${palette.dots} ${devicePixelRatio}`;
    const dots = getOrCreate(dotsByColor, key, () => createDots(context, palette.dots));
    return { context, palette, fitter, dots };
  };

  const paintSome = ({ surface, picture, moves, since, isShown }: Job, now: number) => {
    const isUrgent = !shownPicture || (!isShown && now - since > MAX_WAIT_MS);
    const slice = { moves, sight: view.getSight(), isUrgent };
    const result = paintSlice(brushFor(surface, picture), surface, slice);
    drawnBoxes += result.paintedBoxes;
    return result;
  };

  /** Returns true as soon as all boxes are at their positions. */
  const advanceMoves = (current: Job, now: number): boolean => {
    const { surface, picture, moves } = current;
    if (moves.size === 0) return true;
    current.movingSince ??= now;
    const remainingShare = easeOutRemaining((now - current.movingSince) / MOVE_MS);
    if (remainingShare === 0) {
      current.moves = NO_MOVES;
      return paintSome(current, now).isSightPainted;
    }
    paintMoves(brushFor(shown, picture), shown, surface, { picture, moves, remainingShare });
    drawnBoxes += moves.size;
    return false;
  };

  /** Returns true if the picture is complete. */
  const advance = (current: Job, now: number): boolean => {
    const { paintedBoxes, isSightPainted, isAllPainted } = paintSome(current, now);
    // A frame that shows another canvas has no time to paint as well.
    const isFrameSpent = shownPicture && current.surface === hidden && paintedBoxes > 0;
    if (!isSightPainted || isFrameSpent) return false;
    current.isShown = true;
    if (!advanceMoves(current, now)) return false;
    if (current.surface === hidden) {
      [shown, hidden] = [hidden, shown];
      showCanvases();
    }
    return isAllPainted;
  };

  const schedule = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame((now) => {
      const current = job;
      if (!current) return;
      if (timed(() => advance(current, now))) job = undefined;
      else schedule();
      if (!current.isShown || shownPicture === current.picture) return;
      shownPicture = current.picture;
      current.onShown(current.picture);
    });
  };

  const chooseSurface = (picture: Picture): Surface => {
    const candidates = job ? [job.surface, shown] : [shown];
    const surface = candidates.find((candidate) => canContinue(candidate, picture));
    if (surface) surface.picture = picture;
    else prepareSurface(hidden, picture, shown);
    return surface ?? hidden;
  };

  return {
    paint(picture, onShown) {
      const surface = chooseSurface(picture);
      // On the shown canvas nothing that it shows moves.
      const canMove = surface === hidden && !isCalm();
      const moves = canMove ? findMoves(shownPicture?.scene, picture.scene) : NO_MOVES;
      const isMoving = moves.size === 0 && surface === job?.surface;
      job = {
        ...{ surface, picture, onShown },
        since: job && !job.isShown ? job.since : performance.now(),
        isShown: false,
        moves: isMoving && job ? job.moves : moves,
        movingSince: isMoving ? job?.movingSince : undefined,
      };
      schedule();
    },
    drawOverlay(picture, state) {
      const { scene, window } = picture;
      const boxes = listBoxesIn(scene, window);
      const wasBlank = isBlank;
      isBlank = isOverlayBlank(scene, boxes, state);
      // A canvas that does not change costs nothing to show.
      if (isBlank && wasBlank) return;
      timed(() => {
        fitToPicture(overlay, picture);
        clearSurface(overlay);
        paintOverlay(brushFor(overlay, picture), scene, boxes, state);
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
    stop: () => cancelAnimationFrame(frame),
  };
}
