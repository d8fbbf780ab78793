import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { usePage, usePageStore } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { markReady } from '../ui/use-ready.ts';
import type { Level } from './layout/layout.ts';
import { buildScene, type Scene } from './layout/scene.ts';
import { SMALL_FONT, TYPE_FONT } from './painting/brush.ts';
import { createMapRenderer, type DrawStats, type MapRenderer } from './painting/renderer.ts';
import { MARGIN, type Picture } from './painting/surface.ts';

declare global {
  interface Window {
    /** Statistics for tests and for measuring the page. */
    mortiseConsole?: {
      stats(): DrawStats & { readonly nodes: number; readonly pods: number };
      /** True if the page shows the pod `namespace/name`. */
      hasPod(key: string): boolean;
    };
  }
}

type CanvasRef = RefObject<HTMLCanvasElement | null>;

interface MapElements {
  readonly scroll: RefObject<HTMLDivElement | null>;
  /** They change places: one shows a picture while the next is painted on the other. */
  readonly stills: readonly [CanvasRef, CanvasRef];
  readonly overlay: CanvasRef;
}

export function useMapElements(): MapElements {
  const scroll = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLCanvasElement>(null);
  const second = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  return useMemo(() => ({ scroll, stills: [first, second], overlay }), []);
}

export function useRenderer({ scroll, stills, overlay }: MapElements): MapRenderer | undefined {
  const store = usePageStore();
  const [renderer, setRenderer] = useState<MapRenderer>();

  useEffect(() => {
    const [first, second] = stills;
    if (!first.current || !second.current || !overlay.current) return;
    const created = createMapRenderer({
      stills: [first.current, second.current],
      overlay: overlay.current,
      getSight: () => ({
        top: scroll.current?.scrollTop ?? 0,
        height: scroll.current?.clientHeight ?? 0,
      }),
    });
    window.mortiseConsole = {
      stats() {
        const { model } = store.get();
        return { ...created.stats(), nodes: model?.nodes.size ?? 0, pods: model?.pods.size ?? 0 };
      },
      hasPod: (key) => store.get().model?.pods.has(key) ?? false,
    };
    setRenderer(created);
    return created.stop;
  }, [scroll, stills, overlay, store]);
  return renderer;
}

/**
 * Paints a picture, and returns the one that the canvas shows. The page's elements over the canvas
 * follow it: they are rendered in the frame that shows it.
 */
export function useShownPicture(renderer: MapRenderer | undefined, picture: Picture | undefined): Picture | undefined {
  const [shown, setShown] = useState<Picture>();
  useEffect(() => {
    if (!renderer || !picture) return;
    renderer.paint(picture, (painted) => {
      flushSync(() => setShown(painted));
      markReady();
    });
  }, [renderer, picture]);
  return shown;
}

/** A canvas does not wait for fonts: text drawn too early would keep the fallback font. */
export function useFonts(): boolean {
  const [areLoaded, setLoaded] = useState(false);
  useEffect(() => {
    const loading = [TYPE_FONT, SMALL_FONT].map((font) => document.fonts.load(font));
    void Promise.allSettled(loading).then(() => setLoaded(true));
  }, []);
  return areLoaded;
}

interface Size {
  readonly w: number;
  readonly h: number;
}

/** The content size of an element. */
export function useSize(ref: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      setSize({ w: Math.floor(width), h: Math.floor(height) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}

/** Halos of the outermost boxes need a margin. */
const roomIn = ({ w, h }: Size): Size => ({ w, h: h - 2 * MARGIN });

/** Computes the scene; unchanged boxes are the objects of the previous scene. */
export function useScene(size: Size | undefined, zoom: Level | undefined): Scene | undefined {
  const { grouping, area } = useUi();
  const nodes = usePage(({ model }) => model?.nodes);
  const namespaces = usePage(({ model }) => model?.namespaces);
  const before = useRef<Scene>(undefined);

  const scene = useMemo(
    () =>
      nodes && namespaces && size
        ? buildScene(
            { nodes, namespaces },
            { grouping, area, size: roomIn(size), ...(zoom && { zoom }) },
            before.current,
          )
        : undefined,
    [nodes, namespaces, grouping, area, size, zoom],
  );
  useEffect(() => {
    before.current = scene;
  }, [scene]);
  return scene;
}
