import type { CostGrouping } from '../../screen-views.ts';
import { colorNamespaces } from '../controls/namespace-colors.ts';

export interface GroupTile {
  readonly name: string;
  /** A capacity type, `free`, `other`, or the number of a tile colour. */
  readonly tile: string;
}

const CAPACITY_TYPES: ReadonlySet<string> = new Set(['spot', 'on-demand', 'reserved']);
const TILES = 6;

/** The colour of each group. Namespaces have the colour that they have on the map. */
export function listTiles(
  names: readonly string[],
  by: CostGrouping,
  namespaces: readonly string[],
): readonly GroupTile[] {
  const colors = colorNamespaces(namespaces);
  return names.map((name, index) => ({ name, tile: tileOf(name, index, by, colors) }));
}

function tileOf(name: string, index: number, by: CostGrouping, colors: ReadonlyMap<string, number>): string {
  if (name === 'free room') return 'free';
  if (name === 'others') return 'other';
  if (by === 'capacity') return CAPACITY_TYPES.has(name) ? name : 'other';
  const color = by === 'namespace' ? colors.get(name) : index;
  return color !== undefined && color < TILES ? String(color + 1) : 'other';
}
