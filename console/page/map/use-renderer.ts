import type { RefObject } from 'react';
import { useEffect, useState } from 'react';
import { usePageStore } from '../store/use-page.ts';
import type { DrawStats, MapRenderer } from './renderer.ts';
import { mapRenderer } from './renderer.ts';

declare global {
  interface Window {
    /** Statistics for tests and for measuring the page. */
    mortiseConsole?: { stats(): DrawStats & { readonly nodes: number; readonly pods: number } };
  }
}

export function useRenderer(
  still: RefObject<HTMLCanvasElement | null>,
  overlay: RefObject<HTMLCanvasElement | null>,
): MapRenderer | undefined {
  const store = usePageStore();
  const [renderer, setRenderer] = useState<MapRenderer>();

  useEffect(() => {
    if (!still.current || !overlay.current) return;
    const created = mapRenderer(still.current, overlay.current);
    window.mortiseConsole = {
      stats() {
        const { model } = store.get();
        return { ...created.stats(), nodes: model?.nodes.size ?? 0, pods: model?.pods.size ?? 0 };
      },
    };
    setRenderer(created);
  }, [still, overlay, store]);
  return renderer;
}
