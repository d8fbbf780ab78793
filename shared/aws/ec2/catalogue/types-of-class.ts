import { staticHash } from '../../../api/static-hash.ts';
import { BUNDLED_REGION, findEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import { listInstanceTypes, type TypeSettings, toInstanceType } from '../../../ec2/catalogue/instance-types.ts';
import { withRegionLabel } from '../../../ec2/catalogue/region-label.ts';
import { findImage } from '../../../ec2/node-class/image-choice.ts';
import { listPartitions } from '../../../ec2/node-class/launch-template/partition.ts';
import { PARTITION_LABEL, PLACEMENT_GROUP_ID_LABEL } from '../../../model/labels.ts';
import { getOrCreate } from '../../../model/memo.ts';
import { isPlausibleSize, type LearnedSize, withSize } from '../../../model/nodes/learned-sizes.ts';
import type { NodePlacementGroup } from '../../../model/nodes/resolved-node-class.ts';
import type { InstanceType } from '../../../model/offerings/instance-type.ts';
import { DEFAULT_SIZES } from '../../../model/settings.ts';
import type { ResolvedNodeClass } from '../../../ports/node-classes.ts';
import type { LaunchableClass } from '../../node-class/launchable-class.ts';
import type { PriceList } from '../prices/price-list.ts';

type Types = readonly InstanceType[];

// Decisions cache by the identity of these lists, so the same types give the same list.
const placedListsByTypes = new WeakMap<Types, Map<string, Types>>();

/**
 * Lists the types as nodes of the class would be: with learned sizes and with the labels of its
 * placement group.
 */
export function listTypesOfClass(
  launchableClass: LaunchableClass,
  prices: Pick<PriceList, 'newer'>,
  sizes: readonly LearnedSize[],
  region?: string,
  settings?: TypeSettings,
): Types {
  const types = listSizedTypes(launchableClass, prices, sizes, region, settings);
  const { placementGroup } = launchableClass.resolved;
  return placementGroup ? addPlacementLabels(types, placementGroup) : types;
}

/** Adds the id of the placement group as a label, and its partitions as choices. */
function addPlacementLabels(types: Types, group: NodePlacementGroup): Types {
  const partitions = listPartitions(group);
  const lists = getOrCreate(placedListsByTypes, types, () => new Map());
  const key = `${group.id} ${partitions.length}`;
  return getOrCreate(lists, key, () => types.map((type) => addPlacementLabel(type, group.id, partitions)));
}

const addPlacementLabel = (type: InstanceType, id: string, partitions: readonly string[]): InstanceType => ({
  ...type,
  labels: { ...type.labels, [PLACEMENT_GROUP_ID_LABEL]: id },
  ...(partitions.length > 0 && { choices: { ...type.choices, [PARTITION_LABEL]: partitions } }),
});

/**
 * Hashes everything besides image and type that determines a node's allocatable resources. Classes
 * with equal hashes share learned sizes.
 *
 * @param reservedEnis - setting of the cluster, which changes the kubelet's `maxPods`
 */
export function computeSetupHash({ written }: Pick<ResolvedNodeClass, 'written'>, reservedEnis = 0): string {
  const { amiFamily, amiSelectorTerms, kubelet, userData } = written.spec;
  const { blockDeviceMappings, instanceStorePolicy } = written.spec;
  return staticHash({
    amiFamily,
    aliases: amiSelectorTerms.map(({ alias }) => alias?.split('@')[0]),
    kubelet,
    userData,
    blockDeviceMappings,
    instanceStorePolicy,
    ...(reservedEnis > 0 && { reservedEnis }),
  });
}

type InstanceTypes = readonly InstanceType[];

// Cached, because decisions cache by the identity of the lists. Only the latest list of each setup
// is kept.
const sizedListsByTypes = new WeakMap<
  InstanceTypes,
  Map<string, { readonly key: string; readonly list: InstanceTypes }>
>();

/**
 * Lists the types of the class with the sizes that its nodes have reported. Other types keep the
 * estimate, with the memory that nodes of the same image and another class have reported.
 */
export function listSizedTypes(
  launchableClass: LaunchableClass,
  { newer }: Pick<PriceList, 'newer'>,
  sizes: readonly LearnedSize[],
  region = BUNDLED_REGION,
  settings: TypeSettings = DEFAULT_SIZES,
): InstanceTypes {
  const types = withRegionLabel(listInstanceTypes(launchableClass.nodeClass, newer, settings), region);
  const { images } = launchableClass.resolved;
  const relevant = sizes.filter(({ imageId }) => images.some(({ id }) => id === imageId));
  if (relevant.length === 0) return types;

  const setup = computeSetupHash(launchableClass.resolved, settings.reservedEnis);
  const lists = getOrCreate(sizedListsByTypes, types, () => new Map());
  const key = JSON.stringify([images.map(({ id }) => id), relevant]);
  const last = lists.get(setup);
  if (last?.key === key) return last.list;
  const list = types.map((type) => applyLearnedSize(type, launchableClass, relevant, { setup, settings }));
  lists.set(setup, { key, list });
  return list;
}

function applyLearnedSize(
  type: InstanceType,
  { resolved, nodeClass }: LaunchableClass,
  sizes: readonly LearnedSize[],
  { setup, settings }: { readonly setup: string; readonly settings: TypeSettings },
): InstanceType {
  const image = findImage(resolved.images, type.labels);
  const sameTypeAndImage = sizes.filter(
    (size) => size.instanceType === type.name && size.imageId === image?.id && isPlausibleSize(type, size),
  );
  const sameSetup = sameTypeAndImage.find((size) => size.setup === setup);
  if (sameSetup) return withSize(type, sameSetup);

  const ec2Type = findEc2Type(type.name);
  if (sameTypeAndImage.length === 0 || !ec2Type) return type;
  const memoryBytes = Math.min(...sameTypeAndImage.map(({ capacity }) => capacity.memory ?? Infinity));
  const resized = toInstanceType(ec2Type, nodeClass, { ...settings, memoryBytes });
  return resized ? { ...resized, labels: type.labels, isLearned: true } : type;
}
