import { getOrCreate } from '../../../../shared/model/memo.ts';

const ELLIPSIS = '…';
/** Fewer letters are not readable as a name. */
const MIN_LETTERS = 4;

export interface TextFitter {
  /** Returns as much of the text as fits; empty if only a few letters would. */
  fit(text: string, font: string, width: number): string;
  width(text: string, font: string): number;
}

/** Caches measurements, because labels repeat on thousands of tiles. */
export function createTextFitter(context: CanvasRenderingContext2D): TextFitter {
  const widths = new Map<string, number>();
  const width = (text: string, font: string): number => {
    const key = `${font}\n${text}`;
    return getOrCreate(widths, key, () => {
      context.font = font;
      return context.measureText(text).width;
    });
  };
  return {
    width,
    fit(text, font, room) {
      if (width(text, font) <= room) return text;
      for (let length = text.length - 1; length >= MIN_LETTERS; length -= 1) {
        const cut = text.slice(0, length) + ELLIPSIS;
        if (width(cut, font) <= room) return cut;
      }
      return '';
    },
  };
}
