import { type RefObject, useEffect, useState } from 'react';
import { useUi } from '../ui/ui-context.ts';
import { type MapWindow, windowAt } from './layout/map-window.ts';
import type { Scene } from './layout/scene.ts';

/** The part of the map to draw, which follows the scrolling; a node that is selected scrolls into view. */
export function useMapWindow(scroll: RefObject<HTMLElement | null>, scene: Scene | undefined): MapWindow | undefined {
  const contentHeight = scene?.layout.height;
  const [window, setWindow] = useState<MapWindow>();

  useEffect(() => {
    const element = scroll.current;
    if (!element || contentHeight === undefined) return;
    const update = () =>
      setWindow((shown) => {
        const next = windowAt(element.scrollTop, element.clientHeight, contentHeight);
        return shown?.top === next.top && shown.height === next.height ? shown : next;
      });
    update();
    element.addEventListener('scroll', update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', update);
      observer.disconnect();
    };
  }, [scroll, contentHeight]);

  const { selected } = useUi();
  const box = selected?.kind === 'node' ? scene?.boxes.get(selected.name)?.box : undefined;
  const [top, bottom] = [box?.y, box && box.y + box.h];
  useEffect(() => {
    const element = scroll.current;
    if (!element || top === undefined || bottom === undefined) return;
    const { scrollTop, clientHeight } = element;
    const isInView = top >= scrollTop && bottom <= scrollTop + clientHeight;
    if (!isInView) element.scrollTo({ top: (top + bottom - clientHeight) / 2 });
  }, [scroll, top, bottom]);

  return window;
}
