import type { ObjectRef } from '../../views.ts';
import { AREAS, type Area } from '../map/layout/box-content.ts';
import { GROUPINGS, type Grouping } from '../map/layout/lanes.ts';
import type { ClusterModel } from '../store/cluster-model.ts';

/** The state of the page that a link contains. */
export interface Address {
  readonly selected?: ObjectRef | undefined;
  readonly grouping: Grouping;
  readonly area: Area;
}

const START: Address = { grouping: 'zone', area: 'dominant' };

/** Parses `#/cluster?sel=pod/ml/train-bert-0&group=zone&area=cpu`; invalid parts are ignored. */
export function readAddress(hash: string): Address {
  const query = new URLSearchParams(hash.split('?')[1] ?? '');
  const selected = readObject(query.get('sel') ?? '');
  return {
    grouping: GROUPINGS.find((option) => option === query.get('group')) ?? START.grouping,
    area: AREAS.find((option) => option === query.get('area')) ?? START.area,
    ...(selected === undefined ? {} : { selected }),
  };
}

export function writeAddress({ selected, grouping, area }: Address): string {
  const parts = [
    ...(selected ? [`sel=${selected.kind}/${selected.name}`] : []),
    ...(grouping === START.grouping ? [] : [`group=${grouping}`]),
    ...(area === START.area ? [] : [`area=${area}`]),
  ];
  return parts.length === 0 ? '#/cluster' : `#/cluster?${parts.join('&')}`;
}

function readObject(text: string): ObjectRef | undefined {
  const slash = text.indexOf('/');
  const [kind, name] = [text.slice(0, slash), text.slice(slash + 1)];
  return (kind === 'pod' || kind === 'node') && name !== '' ? { kind, name } : undefined;
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
