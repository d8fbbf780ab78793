import { findIncompatibility } from '../../shared/ec2/catalogue/compatibility.ts';
import { EC2_TYPES, type Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { buildTypeLabels } from '../../shared/ec2/catalogue/type-labels.ts';
import type { Labels } from '../../shared/model/labels.ts';
import { ANY_CLASS } from './any-class.ts';

export interface LabelledType {
  readonly type: Ec2Type;
  readonly labels: Labels;
}

let labelled: readonly LabelledType[] | undefined;

/** Lists the bundled types with their labels only; their capacity would cost most of a validation. */
export const listLabelledTypes = (): readonly LabelledType[] =>
  (labelled ??= EC2_TYPES.filter((type) => !findIncompatibility(type, ANY_CLASS)).map((type) => ({
    type,
    labels: buildTypeLabels(type, ANY_CLASS.amiFamily),
  })));
