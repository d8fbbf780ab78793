import { useEffect, useState } from 'react';
import { useUi } from '../../ui/ui-context.ts';

/** Colours of the theme as plain strings for the canvas, read from the tokens. */
export interface Palette {
  readonly ground: string;
  readonly panel: string;
  readonly line: string;
  readonly frame: string;
  readonly ink1: string;
  readonly ink2: string;
  readonly ink3: string;
  readonly accent: string;
  readonly warn: string;
  readonly bad: string;
  readonly spot: string;
  readonly onDemand: string;
  readonly reserved: string;
  readonly meter1: string;
  readonly meter2: string;
  readonly track: string;
  readonly dots: string;
  readonly strip: string;
  readonly tileInk: string;
  readonly tiles: readonly string[];
  readonly otherTile: string;
}

function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: token('ground'),
    panel: token('panel'),
    line: token('line'),
    frame: token('frame'),
    ink1: token('ink-1'),
    ink2: token('ink-2'),
    ink3: token('ink-3'),
    accent: token('accent'),
    warn: token('warn'),
    bad: token('bad'),
    spot: token('spot'),
    onDemand: token('on-demand'),
    reserved: token('reserved'),
    meter1: token('meter-1'),
    meter2: token('meter-2'),
    track: token('track'),
    dots: token('dots'),
    strip: token('strip'),
    tileInk: token('tile-ink'),
    tiles: [1, 2, 3, 4, 5, 6].map((number) => token(`tile-${number}`)),
    otherTile: token('tile-other'),
  };
}

/** Colours for canvases, read again when the theme changes. */
export function usePalette(): Palette | undefined {
  const { shown } = useUi();
  const [palette, setPalette] = useState<Palette>();
  useEffect(() => {
    document.documentElement.dataset.theme = shown;
    setPalette(readPalette(document.documentElement));
  }, [shown]);
  return palette;
}
