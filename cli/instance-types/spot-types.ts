import { findEc2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { listInstanceTypes } from '../../shared/ec2/catalogue/instance-types.ts';
import { normaliseLabelKey, WELL_KNOWN_LABELS } from '../../shared/model/labels.ts';
import type { InstanceType } from '../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { allowsAbsence, allowsValue } from '../../shared/model/requirements/requirement.ts';
import type { Requirements } from '../../shared/model/requirements/requirements.ts';
import { ANY_CLASS } from './any-class.ts';

/** Counts the bundled types that have spot capacity and meet the requirements. */
export const countSpotTypes = (requirements: Requirements): number =>
  listInstanceTypes(ANY_CLASS).filter((type) => isSoldAsSpot(type) && meets(type, requirements))
    .length;

function isSoldAsSpot({ name }: InstanceType): boolean {
  const type = findEc2Type(name);
  return type?.isSpot === true && type.zones.length > 0;
}

const meets = (type: InstanceType, requirements: Requirements): boolean =>
  [...requirements].every(([written, requirement]) => {
    const key = normaliseLabelKey(written);
    if (!isTypeLabel(key)) return true;
    const values = [ownValue(type.labels, key) ?? ownValue(type.choices, key) ?? []].flat();
    return values.length === 0
      ? allowsAbsence(requirement)
      : values.some((value) => allowsValue(requirement, value));
  });

/** True for labels that depend on the type only, not on zone, pool or capacity type. */
const isTypeLabel = (key: string): boolean =>
  WELL_KNOWN_LABELS.has(key) &&
  (key.startsWith('karpenter.k8s.aws/instance-') ||
    key.startsWith('kubernetes.io/') ||
    key === 'node.kubernetes.io/instance-type');
