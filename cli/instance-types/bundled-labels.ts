import { findIncompatibility } from '../../shared/ec2/catalogue/compatibility.ts';
import { EC2_TYPES, type Ec2Type } from '../../shared/ec2/catalogue/ec2-types.ts';
import { buildTypeLabels } from '../../shared/ec2/catalogue/type-labels.ts';
import type { Labels } from '../../shared/model/labels.ts';
import { getOrCreate } from '../../shared/model/memo.ts';
import { ANY_CLASS } from './any-class.ts';

let launchable: readonly Ec2Type[] | undefined;

/** Lists the bundled types that a class without special settings can launch. */
export const listLaunchableTypes = (): readonly Ec2Type[] =>
  (launchable ??= EC2_TYPES.filter((type) => !findIncompatibility(type, ANY_CLASS)));

const labels = new WeakMap<Ec2Type, Labels>();

/** Builds the labels of one type only; its capacity would cost most of a validation. */
export const labelsOf = (type: Ec2Type): Labels =>
  getOrCreate(labels, type, () => buildTypeLabels(type, ANY_CLASS.amiFamily));
