import type { Rect } from '../layout/layout.ts';
import { isInWindow, listBoxesIn, type MapWindow } from '../layout/map-window.ts';
import { isSameRect, type Scene, type SceneBox } from '../layout/scene.ts';
import type { Palette } from './palette.ts';

/** Everything that a canvas of the map shows. */
export interface Picture {
  readonly scene: Scene;
  readonly palette: Palette;
  /** Nothing outside of it is drawn. */
  readonly window: MapWindow;
}

/** Space around the boxes for the halos of the outermost ones. */
export const MARGIN = 6;

/** A canvas, and the boxes that are on it. */
export interface Surface {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  /** Undefined until the first picture. */
  picture: Picture | undefined;
  readonly painted: Map<string, SceneBox>;
}

export function createSurface(canvas: HTMLCanvasElement): Surface {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser has no canvas');
  return { canvas, context, picture: undefined, painted: new Map() };
}

/** True if the picture only adds boxes to those on the surface, or changes their content. */
export function canContinue(surface: Surface, next: Picture): boolean {
  const { picture, painted } = surface;
  if (!picture || !looksLike(surface, next) || picture.window.top !== next.window.top) return false;
  return painted.values().every(({ box }) => isSameRect(next.scene.boxes.get(box.name)?.box, box));
}

/** Clears the surface for a picture and copies onto it what another surface already shows of it. */
export function prepareSurface(surface: Surface, next: Picture, from: Surface): void {
  fitToPicture(surface, next);
  clearSurface(surface);
  surface.picture = next;
  if (!from.picture || !looksLike(from, next)) return;
  const shift = (next.window.top - from.picture.window.top) * devicePixelRatio;
  // Between two pixels, a copy would be blurred.
  if (!Number.isInteger(shift)) return;
  copySurface(surface, from, shift);
  for (const [name, scened] of from.painted) {
    const isKept =
      isSameRect(next.scene.boxes.get(name)?.box, scened.box) &&
      isWhole(scened.box, from.picture.window) &&
      isInWindow(scened.box, next.window);
    if (isKept) surface.painted.set(name, scened);
    else clearBox(surface, scened);
  }
}

/** True if boxes on the surface look as they would in the picture, wherever they are. */
function looksLike({ canvas, picture }: Surface, next: Picture): boolean {
  const { width, height } = pixelSize(next);
  return (
    picture?.palette === next.palette &&
    picture.scene.layout.level === next.scene.layout.level &&
    canvas.width === width &&
    canvas.height === height
  );
}

/** False if the edge of the window cuts the box. */
const isWhole = ({ y, h }: Rect, { top, height }: MapWindow): boolean => y >= top && y + h <= top + height;

/** The boxes of a picture that its surface does not show yet. */
export const listMissing = ({ picture, painted }: Surface): readonly SceneBox[] =>
  picture ? listBoxesIn(picture.scene, picture.window).filter((scened) => painted.get(scened.box.name) !== scened) : [];

export function clearSurface({ canvas, context, painted }: Surface): void {
  painted.clear();
  context.save();
  context.resetTransform();
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.restore();
}

/**
 * Copies all pixels.
 *
 * @param shift - how many pixels lower the window of the copy begins
 */
export function copySurface({ context }: Surface, from: Surface, shift = 0): void {
  context.save();
  context.resetTransform();
  context.drawImage(from.canvas, 0, -shift);
  context.restore();
}

export function clearBox({ context }: Surface, { box: { x, y, w, h } }: SceneBox): void {
  context.clearRect(x - 1, y - 1, w + 2, h + 2);
}

/** Sets the canvas to the picture's place and the screen's resolution. */
export function fitToPicture({ canvas, context }: Surface, picture: Picture): void {
  const ratio = devicePixelRatio;
  const { width, height } = pixelSize(picture);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${width / ratio}px`;
    canvas.style.height = `${height / ratio}px`;
  }
  const { top } = picture.window;
  canvas.style.top = `${top}px`;
  context.setTransform(ratio, 0, 0, ratio, MARGIN * ratio, (MARGIN - top) * ratio);
}

const pixelSize = ({ scene, window }: Picture) => ({
  width: Math.ceil((scene.layout.width + 2 * MARGIN) * devicePixelRatio),
  height: Math.ceil((window.height + 2 * MARGIN) * devicePixelRatio),
});
