import { useEffect } from 'react';

/** Tells tests and screenshots that the first picture is drawn. */
export function markReady(): void {
  document.documentElement.dataset.ready = 'true';
}

/** Marks the page as ready once the screen has its content. */
export function useReady(hasContent: boolean): void {
  useEffect(() => {
    if (hasContent) markReady();
  }, [hasContent]);
}
