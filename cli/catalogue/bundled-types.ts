import { findIncompatibility } from '../../shared/ec2/catalogue/compatibility.ts';
import { EC2_TYPES, type Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { buildTypeLabels, TENANCIES } from '../../shared/ec2/catalogue/type-labels.ts';
import { memoize, onFirstUse } from '../../shared/model/memo.ts';
import type { EC2NodeClass } from '../../shared/model/nodes/node-class.ts';
import type { InstanceType } from '../../shared/model/offerings/instance-type.ts';
import { isIn } from '../../shared/model/requirements/requirement.ts';
import { type Requirements, toLabelRequirements } from '../../shared/model/requirements/requirements.ts';

/** A class without settings, for what does not depend on the class. */
export const ANY_CLASS: EC2NodeClass = {
  name: 'AL2023',
  uid: 'none',
  amiFamily: 'AL2023',
  kubelet: {},
  hash: '',
};

/** Lists the bundled types that a class without special settings can launch. */
export const listLaunchableTypes = onFirstUse(() => EC2_TYPES.filter((type) => !findIncompatibility(type, ANY_CLASS)));

/** The values that the labels of a type's nodes may have. */
export const toLabelValues = ({ labels, choices = {} }: Pick<InstanceType, 'labels' | 'choices'>): Requirements =>
  new Map([
    ...toLabelRequirements(labels),
    ...Object.entries(choices).map(([key, values]) => [key, isIn(...values)] as const),
  ]);

/** The same without the capacity of the type, which would cost most of a validation. */
export const listLabelValues = memoize((type: Ec2Type) =>
  toLabelValues({ labels: buildTypeLabels(type, ANY_CLASS.amiFamily), choices: TENANCIES }),
);
