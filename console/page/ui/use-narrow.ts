import { useEffect, useState } from 'react';

/** The width of a phone, as in the style sheets. */
const NARROW = '(max-width: 700px)';

/** True while the page is too narrow for the map. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const follow = () => setNarrow(media.matches);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, []);
  return isNarrow;
}
