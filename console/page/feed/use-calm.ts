import { useEffect, useRef, useState } from 'react';

/** The newest value, but a new one only `everyMs` after the one before. */
export function useCalm<T>(value: T, everyMs: number): T {
  const [shown, setShown] = useState(value);
  const shownAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, shownAt.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      shownAt.current = performance.now();
      setShown(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return shown;
}
