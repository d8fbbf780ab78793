import type { RuntimeSettings } from '../../shared/api/runtime-validation/fault.ts';
import { findIncompatibility } from '../../shared/ec2/catalogue/compatibility.ts';
import type { Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import type { RegionCatalogue } from '../../shared/ec2/catalogue/region-catalogue.ts';
import { OS_LABEL, WELL_KNOWN_LABELS, ZONE_LABEL } from '../../shared/model/labels.ts';
import { allowsValue } from '../../shared/model/requirements/requirement.ts';
import { findConflict, type Requirements } from '../../shared/model/requirements/requirements.ts';
import { ANY_CLASS, listLabelValues, listLaunchableTypes } from './bundled-types.ts';

type CountTypes = NonNullable<RuntimeSettings['countTypes']>;

/** Counts the bundled types that meet the requirements, up to `maxCount`, in whatever region. */
export const countTypes: CountTypes = (requirements, options) =>
  countMeeting(listLaunchableTypes(), isSoldAsSpot, requirements, options);

/** Counts the types that the region offers in the zones of the requirements. */
export const createTypeCounter =
  (catalogue: RegionCatalogue): CountTypes =>
  (requirements, options) => {
    const zoneRequirement = requirements.get(ZONE_LABEL);
    const types = catalogue.types.filter(
      (type) =>
        !findIncompatibility(type, ANY_CLASS) &&
        catalogue.zonesOf(type.name).some((zone) => !zoneRequirement || allowsValue(zoneRequirement, zone)),
    );
    return countMeeting(types, ({ isSpot }) => isSpot, requirements, options);
  };

function countMeeting(
  types: readonly Ec2Type[],
  isSold: (type: Ec2Type) => boolean,
  requirements: Requirements,
  { maxCount, isSpot }: Parameters<CountTypes>[1],
): number {
  const ofTypes = new Map([...requirements].filter(([key]) => isTypeLabel(key)));
  let count = 0;
  for (const type of types) {
    if (count >= maxCount) break;
    if (isSpot && !isSold(type)) continue;
    if (!findConflict(listLabelValues(type), ofTypes)) count += 1;
  }
  return count;
}

const isSoldAsSpot = ({ isSpot, zones }: Ec2Type): boolean => isSpot && zones.length > 0;

/** True for labels that depend on the type only, not on zone, pool, image or capacity type. */
const isTypeLabel = (key: string): boolean =>
  WELL_KNOWN_LABELS.has(key) &&
  key !== OS_LABEL &&
  (key.startsWith('karpenter.k8s.aws/instance-') ||
    key.startsWith('kubernetes.io/') ||
    key === 'node.kubernetes.io/instance-type');
