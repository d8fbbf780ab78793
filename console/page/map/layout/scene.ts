import { colorNamespaces } from '../../controls/namespace-colors.ts';
import type { ClusterModel, NodeWithPods } from '../../store/cluster-model.ts';
import { type Area, type BoxContent, computeBoxContent } from './box-content.ts';
import { type Grouping, groupIntoLanes, type Lane } from './lanes.ts';
import { type Box, fitLayout, type Level, layoutAt, type MapLayout, type Rect } from './layout.ts';

/** Does not need the content of the box. */
export const holdsPod = ({ item: { pods } }: SceneBox, key: string): boolean => pods.some((pod) => pod.key === key);

export interface SceneBox {
  readonly box: Box;
  readonly item: NodeWithPods;
  readonly content: BoxContent;
}

/** Everything that the two layers draw and the grid names. */
export interface Scene {
  readonly layout: MapLayout;
  readonly lanes: readonly Lane[];
  readonly boxes: ReadonlyMap<string, SceneBox>;
  readonly namespaceColors: ReadonlyMap<string, number>;
  readonly options: SceneOptions;
}

interface SceneOptions {
  readonly grouping: Grouping;
  readonly area: Area;
  readonly size: { readonly w: number; readonly h: number };
  /** The level that the user chose; undefined for the nearest at which all nodes fit. */
  readonly zoom?: Level;
}

/** Header above and meters below the pods; far levels have no space for a header. */
const HEADER = 19;
const METERS = 9;
export const hasHeader = ({ boxHeight }: Level): boolean => boxHeight >= 44;

export function buildScene(
  { nodes, namespaces }: Pick<ClusterModel, 'nodes' | 'namespaces'>,
  options: SceneOptions,
  before?: Scene,
): Scene {
  const { grouping, area, size } = options;
  const lanes = groupIntoLanes(nodes.values(), grouping);
  const layout = options.zoom ? layoutAt(lanes, size.w, options.zoom) : fitLayout(lanes, size);
  const namespaceColors = colorsOf(namespaces, before?.namespaceColors);
  const keeps = before?.options.area === area && before.namespaceColors === namespaceColors;

  const boxes = new Map<string, SceneBox>();
  for (const box of layout.lanes.flatMap(({ rows }) => rows.flat())) {
    const item = nodes.get(box.name);
    if (!item) continue;
    const previousBox = keeps ? before.boxes.get(box.name) : undefined;
    const isSame = previousBox?.item === item && isSameRect(previousBox.box, box);
    boxes.set(
      box.name,
      isSame
        ? previousBox
        : lazySceneBox(box, item, () =>
            computeBoxContent(item, innerOf(box, layout.level), {
              area,
              namespaceColors,
              detail: layout.level.detail,
            }),
          ),
    );
  }
  return { layout, lanes, boxes, namespaceColors, options };
}

/** Most boxes of a large map are out of sight, and their content is never needed. */
function lazySceneBox(box: Box, item: NodeWithPods, computeContent: () => BoxContent): SceneBox {
  let content: BoxContent | undefined;
  return {
    box,
    item,
    get content() {
      content ??= computeContent();
      return content;
    },
  };
}

function innerOf({ x, y, w, h }: Box, level: Level) {
  const side = level.detail === 'stripes' ? 2 : 4;
  const top = hasHeader(level) ? HEADER : side;
  const bottom = hasHeader(level) ? METERS : side;
  return {
    x: x + side,
    y: y + top,
    w: Math.max(1, w - 2 * side),
    h: Math.max(1, h - top - bottom),
  };
}

/** Returns the same object while nothing changes, so that boxes are not drawn again. */
function colorsOf(
  namespaces: readonly string[],
  before: ReadonlyMap<string, number> | undefined,
): ReadonlyMap<string, number> {
  const colors = colorNamespaces(namespaces);
  const unchanged = before?.size === colors.size && [...colors].every(([name, color]) => before.get(name) === color);
  return unchanged ? before : colors;
}

export const isSameRect = (a: Rect | undefined, b: Rect): boolean =>
  a?.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;

/** The offset of each moved box from its old position, by name. */
export type Moves = ReadonlyMap<string, { readonly dx: number; readonly dy: number }>;

export const NO_MOVES: Moves = new Map();
/** More moves at once cannot be followed by the eye. */
const MAX_MOVES = 40;

/** Finds boxes with a new position; none if the whole layout changed. */
export function findMoves(before: Scene | undefined, scene: Scene): Moves {
  if (before?.layout.level !== scene.layout.level) return NO_MOVES;
  const moves = new Map<string, { dx: number; dy: number }>();
  for (const [name, { box }] of scene.boxes) {
    const old = before.boxes.get(name)?.box;
    if (!old || (old.x === box.x && old.y === box.y)) continue;
    moves.set(name, { dx: old.x - box.x, dy: old.y - box.y });
  }
  return moves.size <= MAX_MOVES ? moves : NO_MOVES;
}

/** Remaining share of the way after a share of the time: fast at first, then slow. */
export const easeOutRemaining = (share: number): number => (1 - Math.min(1, Math.max(0, share))) ** 3;
