import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { formatUsd, plural } from '../../format.ts';
import { cx, VISUALLY_HIDDEN } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { useEvidence } from '../explain/answer-context.ts';
import { isHandledElsewhere } from '../keys/handled-elsewhere.ts';
import { usePage } from '../store/use-page.ts';
import { useMarkedSides } from '../timeline/difference-bar.tsx';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import styles from './cluster-map.module.css';
import { LEVELS, type Level } from './layout/layout.ts';
import { type MapWindow, windowAt } from './layout/map-window.ts';
import type { Scene } from './layout/scene.ts';
import { MapGrid } from './map-grid.tsx';
import { usePalette } from './painting/palette.ts';
import type { Picture } from './painting/surface.ts';
import { PointerCard, type Spot } from './pointer-card.tsx';
import { useFonts, useMapElements, useRenderer, useScene, useShownPicture, useSize } from './use-renderer.ts';

/** The map of the cluster: area is capacity, fill is requests. */
export function ClusterMap() {
  const elements = useMapElements();
  const { scroll, stills, overlay } = elements;
  const room = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState<Level>();
  const renderer = useRenderer(elements);
  const picture = usePicture(scroll, useScene(useSize(room), zoom));
  const shown = useShownPicture(renderer, picture);
  const { selected } = useUi();
  const evidence = useOutlinedNodes();
  const now = useClusterNow();
  const [pointed, setPointed] = useState<Spot>();
  const isLost = usePage(({ contact }) => contact.state === 'lost');

  const gestureAt = useRef(-Infinity);
  const onScroll = () => {
    gestureAt.current = performance.now();
    setPointed(undefined);
  };
  const onZoom = (level: Level | undefined) => {
    gestureAt.current = performance.now();
    setZoom(level);
  };

  useLayoutEffect(() => {
    if (!shown || !renderer) return;
    renderer.drawOverlay(shown, { now, evidence, ...marksOf(selected, pointed) });
  }, [shown, renderer, now, evidence, selected, pointed]);

  return (
    <section className={cx(styles.map, isLost && styles.lost)} aria-label="Map" data-testid="cluster-map">
      <div className={cx(styles.scroll)} ref={scroll} onScroll={onScroll}>
        {shown && <LaneHeads scene={shown.scene} />}
        <div className={cx(styles.room)} ref={room}>
          <div aria-hidden="true">
            {stills.map((still, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: there are always two
              <canvas key={index} ref={still} className={cx(styles.layer)} />
            ))}
            <canvas ref={overlay} className={cx(styles.layer)} />
          </div>
          {shown && <MapGrid picture={shown} gestureAt={gestureAt} onPoint={setPointed} />}
          {shown && shown.scene.boxes.size === 0 && <EmptyMap />}
        </div>
      </div>
      {picture && <ZoomButtons level={picture.scene.layout.level} isChosen={zoom !== undefined} onChange={onZoom} />}
      {shown && pointed && <PointerCard scene={shown.scene} spot={pointed} />}
    </section>
  );
}

/** Collects everything that the canvas has to show; undefined until all of it is known. */
function usePicture(scroll: RefObject<HTMLElement | null>, scene: Scene | undefined): Picture | undefined {
  const window = useMapWindow(scroll, scene);
  const palette = usePalette();
  const hasFonts = useFonts();
  return useMemo(
    () => (scene && window && palette && hasFonts ? { scene, window, palette } : undefined),
    [scene, window, palette, hasFonts],
  );
}

function marksOf(selected: ReturnType<typeof useUi>['selected'], pointed: Spot | undefined) {
  return {
    ...(pointed !== undefined && { hovered: pointed.node }),
    ...(selected?.kind === 'node' && { selectedNode: selected.name }),
    ...(selected?.kind === 'pod' && { selectedPod: selected.name }),
  };
}

function EmptyMap() {
  return <p className={cx(styles.empty)}>No nodes yet. Pods that cannot be scheduled will get one.</p>;
}

/** Name, count and cost of each lane at its height. */
function LaneHeads({ scene }: { readonly scene: Scene }) {
  const costs = new Map(scene.lanes.map((lane) => [lane.name, lane]));
  return (
    <ul className={cx(styles.heads)} aria-label="Lanes">
      {scene.layout.lanes.map(({ name, y, h }) => (
        <li key={name} className={cx(styles.head)} style={{ top: y, height: h }}>
          <div className={cx(styles.headText)}>
            <strong title={name}>{name}</strong>
            <span>{plural(costs.get(name)?.nodes.length ?? 0, 'node')}</span>
            <span>{formatUsd(costs.get(name)?.hourlyUsd ?? 0)}/h</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The nodes that the open answer names, and those that differ between the compared moments. */
function useOutlinedNodes(): readonly string[] {
  const evidence = useEvidence();
  const comparison = useMarkedSides()?.comparison;
  return useMemo(() => {
    if (!comparison) return evidence;
    const { added, gone, changed } = comparison;
    return [...new Set([...evidence, ...added, ...gone, ...changed])];
  }, [evidence, comparison]);
}

/** The part of the map to draw, which follows the scrolling; a node that is selected scrolls into view. */
function useMapWindow(scroll: RefObject<HTMLElement | null>, scene: Scene | undefined): MapWindow | undefined {
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

interface ZoomButtonsProps {
  readonly level: Level;
  /** True if the user chose the level; else the map chooses the nearest at which all nodes fit. */
  readonly isChosen: boolean;
  readonly onChange: (level: Level | undefined) => void;
}

/** Zooms the map, also with the keys + - 0. */
function ZoomButtons({ level, isChosen, onChange }: ZoomButtonsProps) {
  const index = LEVELS.indexOf(level);
  const { areKeysOn } = useUi();
  const [nearer, farther] = [LEVELS[index - 1], LEVELS[index + 1]];

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!areKeysOn || isHandledElsewhere(event)) return;
      if (event.key === '0') onChange(undefined);
      if (event.key === '+' && nearer) onChange(nearer);
      if (event.key === '-' && farther) onChange(farther);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [areKeysOn, nearer, farther, onChange]);

  return (
    <fieldset className={cx(styles.zoom)} data-testid="zoom">
      <legend className={VISUALLY_HIDDEN}>Zoom</legend>
      <Button
        className={cx(controls.button)}
        aria-label="Zoom out"
        isDisabled={!farther}
        onPress={() => onChange(farther)}
      >
        −
      </Button>
      <Button className={cx(controls.button)} isDisabled={!isChosen} onPress={() => onChange(undefined)}>
        Fit
      </Button>
      <Button
        className={cx(controls.button)}
        aria-label="Zoom in"
        isDisabled={!nearer}
        onPress={() => onChange(nearer)}
      >
        +
      </Button>
    </fieldset>
  );
}
