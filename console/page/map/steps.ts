import type { ObjectRef } from '../../views.ts';
import type { Direction } from './neighbours.ts';
import { neighbourBox, neighbourTile } from './neighbours.ts';
import type { Scene } from './scene.ts';

/** Finds the object that an arrow key selects, among nodes or among the pods of a node. */
export function moved(
  scene: Scene,
  selected: ObjectRef | undefined,
  direction: Direction,
): ObjectRef | undefined {
  if (selected?.kind === 'pod') return movedPod(scene, selected, direction);
  const box = neighbourBox(scene.layout, selected?.name, direction);
  return box && { kind: 'node', name: box.name };
}

function movedPod(scene: Scene, selected: ObjectRef, direction: Direction): ObjectRef {
  for (const { content } of scene.boxes.values()) {
    const tile = content.tiles.find(({ item }) => item.key === selected.name);
    if (!tile) continue;
    return { kind: 'pod', name: neighbourTile(content.tiles, tile, direction).item.key };
  }
  return selected;
}

/** The first pod of the selected node. */
export function entered(scene: Scene, selected: ObjectRef | undefined): ObjectRef | undefined {
  if (selected?.kind !== 'node') return undefined;
  const [first] = scene.boxes.get(selected.name)?.content.tiles ?? [];
  return first && { kind: 'pod', name: first.item.key };
}
