import type { TypeSettings } from '../../../ec2/catalogue/instance-types.ts';
import type { InstanceType } from '../../../model/instance-type.ts';
import { PARTITION_LABEL, PLACEMENT_GROUP_ID_LABEL } from '../../../model/labels.ts';
import type { LearnedSize } from '../../../model/learned-sizes.ts';
import type { NodePlacementGroup } from '../../../model/resolved-node-class.ts';
import { partitionsOf } from '../../../ec2/node-class/launch-template/partition.ts';
import type { LaunchableClass } from '../../node-class/launchable-class.ts';
import type { PriceList } from '../prices/price-list.ts';
import { sizedTypes } from './sized-types.ts';

type Types = readonly InstanceType[];

// Decisions remember by these lists what they have worked out: the same types, the same list.
const known = new WeakMap<Types, Map<string, Types>>();

/** What nodes of the class would be: as large as it makes them, and where it puts them. */
export function typesOfClass(
  found: LaunchableClass,
  prices: Pick<PriceList, 'newer'>,
  sizes: readonly LearnedSize[],
  region?: string,
  settings?: TypeSettings,
): Types {
  const types = sizedTypes(found, prices, sizes, region, settings);
  const { placementGroup } = found.resolved;
  return placementGroup ? placedTypes(types, placementGroup) : types;
}

/** Told by the id of their placement group, and each in any of its partitions. */
function placedTypes(types: Types, group: NodePlacementGroup): Types {
  const partitions = partitionsOf(group);
  const lists = known.get(types) ?? new Map<string, Types>();
  known.set(types, lists);
  const key = `${group.id} ${partitions.length}`;
  const list = lists.get(key) ?? types.map((type) => placed(type, group.id, partitions));
  lists.set(key, list);
  return list;
}

const placed = (type: InstanceType, id: string, partitions: readonly string[]): InstanceType => ({
  ...type,
  labels: { ...type.labels, [PLACEMENT_GROUP_ID_LABEL]: id },
  ...(partitions.length > 0 && { choices: { ...type.choices, [PARTITION_LABEL]: partitions } }),
});
