import { OBJECT_KINDS, type ObjectRef } from '../../views.ts';
import { AREAS, type Area } from '../map/layout/box-content.ts';
import { GROUPINGS, type Grouping } from '../map/layout/lanes.ts';
import type { ClusterModel } from '../store/cluster-model.ts';

export const SCREENS = ['cluster', 'timeline', 'cost', 'nodepools', 'whatif'] as const;
export type Screen = (typeof SCREENS)[number];
const COMPARISONS = ['before', 'now'] as const;
export const VIEWS = ['map', 'table'] as const;
export type View = (typeof VIEWS)[number];
/** The other side of a comparison: the moment before, now, or a picked moment. */
export type Compared = (typeof COMPARISONS)[number] | number;

/** The state of the page that a link contains. */
export interface Address {
  readonly screen: Screen;
  /** The moment that the page shows; undefined while it is live. */
  readonly at?: number | undefined;
  /** The other moment that the timeline compares with. */
  readonly compare: Compared;
  readonly selected?: ObjectRef | undefined;
  /** Undefined for the one that suits the width of the page. */
  readonly view?: View | undefined;
  readonly grouping: Grouping;
  readonly area: Area;
  /** The filter of the table of nodes; empty for none. */
  readonly filter: string;
}

const START: Address = {
  screen: 'cluster',
  compare: 'before',
  grouping: 'zone',
  area: 'dominant',
  filter: '',
};

/** Parses `#/cluster?sel=pod/ml/train-bert-0&group=zone&area=cpu`; invalid parts are ignored. */
export function readAddress(hash: string): Address {
  const [path = '', search = ''] = hash.split('?');
  const query = new URLSearchParams(search);
  const at = readMoment(query.get('at'));
  const view = VIEWS.find((option) => option === query.get('view'));
  const selected = readObject(query.get('sel') ?? '');
  return {
    screen: SCREENS.find((screen) => path === `#/${screen}`) ?? START.screen,
    compare: readCompared(query.get('compare')),
    ...(at !== undefined && { at }),
    ...(view !== undefined && { view }),
    grouping: GROUPINGS.find((option) => option === query.get('group')) ?? START.grouping,
    area: AREAS.find((option) => option === query.get('area')) ?? START.area,
    filter: query.get('q') ?? START.filter,
    ...(selected !== undefined && { selected }),
  };
}

export function writeAddress(address: Address): string {
  const { screen, at, compare, selected, view, grouping, area, filter } = address;
  const parts = [
    ...(at === undefined ? [] : [`at=${writeMoment(at)}`]),
    ...(compare === START.compare ? [] : [`compare=${typeof compare === 'number' ? writeMoment(compare) : compare}`]),
    ...(selected ? [`sel=${selected.kind}/${selected.name}`] : []),
    ...(view === undefined ? [] : [`view=${view}`]),
    ...(grouping === START.grouping ? [] : [`group=${grouping}`]),
    ...(area === START.area ? [] : [`area=${area}`]),
    ...(filter === START.filter ? [] : [`q=${encodeURIComponent(filter)}`]),
  ];
  return parts.length === 0 ? `#/${screen}` : `#/${screen}?${parts.join('&')}`;
}

/** `2026-03-04T14:32:07Z`, with milliseconds if there are any. */
const writeMoment = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

const readCompared = (text: string | null): Compared =>
  COMPARISONS.find((option) => option === text) ?? readMoment(text) ?? START.compare;

function readMoment(text: string | null): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}

function readObject(text: string): ObjectRef | undefined {
  const slash = text.indexOf('/');
  const name = text.slice(slash + 1);
  const kind = OBJECT_KINDS.find((one) => one === text.slice(0, slash));
  return kind && name !== '' ? { kind, name } : undefined;
}

/** Moves the selection one level up: from a pod to its node, from a node to nothing. */
export function toParentSelection(
  selected: ObjectRef | undefined,
  model: ClusterModel | undefined,
): ObjectRef | undefined {
  if (selected?.kind !== 'pod') return undefined;
  const pod = model?.pods.get(selected.name);
  const nodeName = pod?.node ?? pod?.nominated;
  return nodeName === undefined ? undefined : { kind: 'node', name: nodeName };
}
