import { findEc2Type, REGION } from '../../../ec2/catalogue/ec2-types.ts';
import { instanceTypesOf, type TypeSettings, toInstanceType } from '../../../ec2/catalogue/instance-types.ts';
import { inRegion } from '../../../ec2/catalogue/other-region.ts';
import type { InstanceType } from '../../../model/instance-type.ts';
import { type LearnedSize, withSize } from '../../../model/learned-sizes.ts';
import { USUAL_SIZES } from '../../../model/settings.ts';
import { imageFor } from '../../../ec2/node-class/image-choice.ts';
import type { LaunchableClass } from '../../node-class/launchable-class.ts';
import { setupOf } from './node-setup.ts';
import type { PriceList } from '../prices/price-list.ts';

type Types = readonly InstanceType[];

// A pure function of its arguments, whose lists stay the same objects: decisions remember by them. Of
// each class the last is kept.
const known = new WeakMap<Types, Map<string, { readonly of: string; readonly list: Types }>>();

/**
 * What nodes of the class would have, type by type: what they have shown, where one was seen; else
 * the estimate, with the memory that nodes of that image have shown to other classes.
 */
export function sizedTypes(
  found: LaunchableClass,
  { newer }: Pick<PriceList, 'newer'>,
  sizes: readonly LearnedSize[],
  region = REGION,
  settings: TypeSettings = USUAL_SIZES,
): Types {
  const types = inRegion(instanceTypesOf(found.nodeClass, newer, settings), region);
  const { images } = found.resolved;
  const relevant = sizes.filter(({ imageId }) => images.some(({ id }) => id === imageId));
  if (relevant.length === 0) return types;

  const setup = setupOf(found.resolved, settings.reservedEnis);
  const lists = known.get(types) ?? new Map<string, { of: string; list: Types }>();
  known.set(types, lists);
  const of = JSON.stringify([images.map(({ id }) => id), relevant]);
  const last = lists.get(setup);
  if (last?.of === of) return last.list;
  const list = types.map((type) => sized(type, found, relevant, { setup, settings }));
  lists.set(setup, { of, list });
  return list;
}

function sized(
  type: InstanceType,
  { resolved, nodeClass }: LaunchableClass,
  sizes: readonly LearnedSize[],
  { setup, settings }: { readonly setup: string; readonly settings: TypeSettings },
): InstanceType {
  const image = imageFor(resolved.images, type.labels);
  const alike = sizes.filter(
    ({ instanceType, imageId }) => instanceType === type.name && imageId === image?.id,
  );
  const same = alike.find((size) => size.setup === setup);
  if (same) return withSize(type, same);

  const ec2Type = findEc2Type(type.name);
  if (alike.length === 0 || !ec2Type) return type;
  const memoryBytes = Math.min(...alike.map(({ capacity }) => capacity.memory ?? Infinity));
  const shown = toInstanceType(ec2Type, nodeClass, { ...settings, memoryBytes });
  return shown ? { ...shown, labels: type.labels, isLearned: true } : type;
}
