import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { formatUsd, plural } from '../../format.ts';
import { cx } from '../class-names.ts';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import styles from './cluster-map.module.css';
import type { Level } from './layout/layout.ts';
import type { Scene } from './layout/scene.ts';
import { MapGrid } from './map-grid.tsx';
import { usePalette } from './painting/palette.ts';
import type { Picture } from './painting/surface.ts';
import { PointerCard, type Spot } from './pointer-card.tsx';
import { useMapWindow } from './use-map-window.ts';
import { useOutlinedNodes } from './use-outlined-nodes.ts';
import { useFonts, useMapElements, useRenderer, useScene, useShownPicture, useSize } from './use-renderer.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

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
