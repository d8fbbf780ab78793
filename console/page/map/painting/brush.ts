import type { Rect } from '../layout/layout.ts';
import type { Palette } from './palette.ts';
import type { TextFitter } from './text-fit.ts';

/** The context, colours and fonts for painting. */
export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly fitter: TextFitter;
  /** The fill of free room. */
  readonly dots: CanvasPattern | string;
}

/** Distance of the dots in free room. */
export const DOT_EVERY = 5;

/** A pattern is painted several times as fast as its dots, of which a picture has thousands. */
export function createDots(context: CanvasRenderingContext2D, color: string): Brush['dots'] {
  const ratio = devicePixelRatio;
  const tile = document.createElement('canvas');
  tile.width = Math.round(DOT_EVERY * ratio);
  tile.height = tile.width;
  const tileContext = tile.getContext('2d');
  if (!tileContext) return color;
  tileContext.fillStyle = color;
  tileContext.fillRect(0, 0, ratio, ratio);
  const pattern = context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(DOT_EVERY / tile.width));
  return pattern ?? color;
}

export const TYPE_FONT = "600 11.5px 'Inter Variable'";
export const FAMILY_FONT = "600 10px 'Inter Variable'";
export const NOTE_FONT = "600 11px 'Inter Variable'";
export const SMALL_FONT = "400 11px 'Inter Variable'";
export const TILE_FONT = "400 10.5px 'Inter Variable'";

export const inset = ({ x, y, w, h }: Rect, by: number): Rect => ({
  x: x + by,
  y: y + by,
  w: Math.max(0, w - 2 * by),
  h: Math.max(0, h - 2 * by),
});

export function roundRect(context: CanvasRenderingContext2D, { x, y, w, h }: Rect, radius: number): void {
  context.beginPath();
  context.roundRect(x, y, w, h, Math.min(radius, w / 2, h / 2));
}

export function fillRect(context: CanvasRenderingContext2D, rect: Rect, radius: number): void {
  if (rect.w <= 0 || rect.h <= 0) return;
  // Plain rectangles are drawn several times as fast as paths, and there are thousands.
  if (radius === 0 || rect.w < 4 || rect.h < 4) {
    context.fillRect(rect.x, rect.y, rect.w, rect.h);
    return;
  }
  roundRect(context, rect, radius);
  context.fill();
}
