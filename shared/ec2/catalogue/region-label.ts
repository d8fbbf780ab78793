import { REGION_LABEL } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { InstanceType } from '../../model/offerings/instance-type.ts';
import { BUNDLED_REGION } from './ec2-types.ts';

// Cached, because decisions cache by the identity of the lists.
const listsByTypes = new WeakMap<readonly InstanceType[], Map<string, readonly InstanceType[]>>();

/** Sets the region label of the types. */
export function withRegionLabel(types: readonly InstanceType[], region: string): readonly InstanceType[] {
  if (region === BUNDLED_REGION) return types;
  const byRegion = getOrCreate(listsByTypes, types, () => new Map());
  return getOrCreate(byRegion, region, () =>
    types.map((type) => ({ ...type, labels: { ...type.labels, [REGION_LABEL]: region } })),
  );
}
