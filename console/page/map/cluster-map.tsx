import { useEffect, useRef, useState } from 'react';
import { formatUsd, plural } from '../../format.ts';
import { cx } from '../class-names.ts';
import { useEvidence } from '../explain/answer-context.ts';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import { markReady } from '../ui/use-ready.ts';
import styles from './cluster-map.module.css';
import type { Level } from './layout/layout.ts';
import type { Scene } from './layout/scene.ts';
import { MapGrid } from './map-grid.tsx';
import { usePalette } from './painting/palette.ts';
import { PointerCard, type Spot } from './pointer-card.tsx';
import { useMapWindow } from './use-map-window.ts';
import { useFonts, useRenderer, useScene, useSize } from './use-renderer.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

/** The map of the cluster: area is capacity, fill is requests. */
export function ClusterMap() {
  const scroll = useRef<HTMLDivElement>(null);
  const room = useRef<HTMLDivElement>(null);
  const still = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const [zoom, setZoom] = useState<Level>();
  const scene = useScene(useSize(room), zoom);
  const window = useMapWindow(scroll, scene);
  const palette = usePalette();
  const hasFonts = useFonts();
  const renderer = useRenderer(still, overlay);
  const { selected } = useUi();
  const evidence = useEvidence();
  const now = useClusterNow();
  const [pointed, setPointed] = useState<Spot>();
  const isLost = usePage(({ contact }) => contact.state === 'lost');

  useEffect(() => {
    if (!scene || !window || !palette || !hasFonts || !renderer) return;
    const frame = requestAnimationFrame(() => {
      renderer.drawStill({ scene, palette, window });
      markReady();
    });
    return () => cancelAnimationFrame(frame);
  }, [scene, window, palette, hasFonts, renderer]);

  useEffect(() => {
    if (!scene || !window || !palette || !hasFonts || !renderer) return;
    const marks = { now, evidence, ...marksOf(selected, pointed) };
    const frame = requestAnimationFrame(() =>
      renderer.drawOverlay({ scene, palette, window }, marks),
    );
    return () => cancelAnimationFrame(frame);
  }, [scene, window, palette, hasFonts, renderer, now, evidence, selected, pointed]);

  return (
    <section
      className={cx(styles.map, isLost && styles.lost)}
      aria-label="Map"
      data-testid="cluster-map"
    >
      <div className={cx(styles.scroll)} ref={scroll} onScroll={() => setPointed(undefined)}>
        {scene && <LaneHeads scene={scene} />}
        <div className={cx(styles.room)} ref={room}>
          <div aria-hidden="true">
            <canvas ref={still} className={cx(styles.layer)} />
            <canvas ref={overlay} className={cx(styles.layer)} />
          </div>
          {scene && window && <MapGrid scene={scene} window={window} onPoint={setPointed} />}
          {scene && scene.boxes.size === 0 && <EmptyMap />}
        </div>
      </div>
      {scene && (
        <ZoomButtons level={scene.layout.level} isChosen={zoom !== undefined} onChange={setZoom} />
      )}
      {scene && pointed && <PointerCard scene={scene} spot={pointed} />}
    </section>
  );
}

function marksOf(selected: ReturnType<typeof useUi>['selected'], pointed: Spot | undefined) {
  return {
    ...(pointed === undefined ? {} : { hovered: pointed.node }),
    ...(selected?.kind === 'node' ? { selectedNode: selected.name } : {}),
    ...(selected?.kind === 'pod' ? { selectedPod: selected.name } : {}),
  };
}

function EmptyMap() {
  return (
    <p className={cx(styles.empty)}>No nodes yet. Pods that cannot be scheduled will get one.</p>
  );
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
