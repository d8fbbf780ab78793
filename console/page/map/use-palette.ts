import { useEffect, useState } from 'react';
import { useUi } from '../ui/ui-context.ts';
import type { Palette } from './palette.ts';
import { readPalette } from './palette.ts';

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
