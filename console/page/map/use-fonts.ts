import { useEffect, useState } from 'react';
import { SMALL_FONT, TYPE_FONT } from './brush.ts';

/** A canvas does not wait for fonts: text drawn too early would keep the fallback font. */
export function useFonts(): boolean {
  const [areLoaded, setLoaded] = useState(false);
  useEffect(() => {
    const loading = [TYPE_FONT, SMALL_FONT].map((font) => document.fonts.load(font));
    void Promise.allSettled(loading).then(() => setLoaded(true));
  }, []);
  return areLoaded;
}
