import type { Palette } from './palette.ts';
import type { TextFitter } from './text-fit.ts';

/** The context, colours and fonts for painting. */
export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly fitter: TextFitter;
}

export const TYPE_FONT = "600 11.5px 'Inter Variable'";
export const FAMILY_FONT = "600 10px 'Inter Variable'";
export const NOTE_FONT = "600 11px 'Inter Variable'";
export const SMALL_FONT = "400 11px 'Inter Variable'";
export const TILE_FONT = "400 10.5px 'Inter Variable'";
