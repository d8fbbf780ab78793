import type { RuntimeSettings } from '../../shared/api/runtime-validation/fault.ts';
import type { Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { TENANCIES } from '../../shared/ec2/catalogue/type-labels.ts';
import {
  type Labels,
  normaliseLabelKey,
  OS_LABEL,
  WELL_KNOWN_LABELS,
} from '../../shared/model/labels.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { allowsAbsence, allowsValue } from '../../shared/model/requirements/requirement.ts';
import type { Requirements } from '../../shared/model/requirements/requirements.ts';
import { labelsOf, listLaunchableTypes } from './bundled-labels.ts';

/** Counts the bundled types that meet the requirements, up to `maxCount`. */
export const countTypes: NonNullable<RuntimeSettings['countTypes']> = (
  requirements,
  { maxCount, isSpot },
) => {
  let count = 0;
  for (const type of listLaunchableTypes()) {
    if (count >= maxCount) break;
    if (isSpot && !isSoldAsSpot(type)) continue;
    if (meets(labelsOf(type), requirements)) count += 1;
  }
  return count;
};

const isSoldAsSpot = ({ isSpot, zones }: Ec2Type): boolean => isSpot && zones.length > 0;

const meets = (labels: Labels, requirements: Requirements): boolean =>
  [...requirements].every(([written, requirement]) => {
    const key = normaliseLabelKey(written);
    if (!isTypeLabel(key)) return true;
    const values = [ownValue(labels, key) ?? ownValue(TENANCIES, key) ?? []].flat();
    return values.length === 0
      ? allowsAbsence(requirement)
      : values.some((value) => allowsValue(requirement, value));
  });

/** True for labels that depend on the type only, not on zone, pool, image or capacity type. */
const isTypeLabel = (key: string): boolean =>
  WELL_KNOWN_LABELS.has(key) &&
  key !== OS_LABEL &&
  (key.startsWith('karpenter.k8s.aws/instance-') ||
    key.startsWith('kubernetes.io/') ||
    key === 'node.kubernetes.io/instance-type');
