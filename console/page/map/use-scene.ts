import { useEffect, useMemo, useRef } from 'react';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { MARGIN } from './renderer.ts';
import type { Scene } from './scene.ts';
import { sceneOf } from './scene.ts';
import type { Size } from './use-size.ts';

/** Halos of the outermost boxes need a margin. */
const roomIn = ({ w, h }: Size): Size => ({ w, h: h - 2 * MARGIN });

/** Computes the scene; unchanged boxes are the objects of the previous scene. */
export function useScene(size: Size | undefined): Scene | undefined {
  const { grouping, area } = useUi();
  const nodes = usePage(({ model }) => model?.nodes);
  const namespaces = usePage(({ model }) => model?.namespaces);
  const before = useRef<Scene>(undefined);

  const scene = useMemo(
    () =>
      nodes && namespaces && size
        ? sceneOf({ nodes, namespaces }, { grouping, area, size: roomIn(size) }, before.current)
        : undefined,
    [nodes, namespaces, grouping, area, size],
  );
  useEffect(() => {
    before.current = scene;
  }, [scene]);
  return scene;
}
