import { type RefObject, startTransition, useEffect, useRef, useState } from 'react';
import type { Picture } from './painting/surface.ts';

/** The time after a step of scrolling or zooming in which the next one may follow. */
const REST_MS = 150;

/**
 * The newest picture while the map rests, else that of before. Elements that only screen readers and
 * tests see take most of a frame to render, and wait until the user neither scrolls nor zooms.
 *
 * @param gestureAt - the time of the user's last step, as in `performance.now()`
 */
export function useRestingPicture(picture: Picture | undefined, gestureAt: RefObject<number>): Picture | undefined {
  const resting = useRef<Picture>(undefined);
  const view = picture && viewOf(picture);
  const [shown, setShown] = useState({ view, isResting: false });
  // A map that comes back to an earlier view has not rested there yet.
  if (shown.view !== view) setShown({ view, isResting: false });
  useEffect(() => {
    const isGesture = performance.now() - gestureAt.current < 2 * REST_MS;
    const rest = () => startTransition(() => setShown({ view, isResting: true }));
    const timer = setTimeout(rest, isGesture ? REST_MS : 0);
    return () => clearTimeout(timer);
  }, [view, gestureAt]);

  const isResting = shown.view === view && shown.isResting;
  useEffect(() => {
    if (isResting) resting.current = picture;
  }, [isResting, picture]);
  return isResting ? picture : resting.current;
}

/** Equal while boxes stay where they are on the screen. */
const viewOf = ({ scene, window }: Picture): string =>
  [scene.layout.level.pxPerVcpu, scene.layout.width, window.top, window.height].join();
