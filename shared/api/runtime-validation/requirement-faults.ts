import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  normaliseLabelKey,
  WELL_KNOWN_LABELS,
} from '../../model/labels.ts';
import { findNearestWord } from '../../model/nearest-word.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { isLabelValue, isQualified } from '../admission/metadata.ts';
import { type FieldPath, quote, quoteUnlessName } from '../finding.ts';
import { createFault, type Fault } from './fault.ts';

const RESERVED = ['karpenter.sh', 'karpenter.k8s.aws'];

/** The key is in a domain of the autoscaler, but is not one of its labels. */
function isReserved(key: string): boolean {
  const normalised = normaliseLabelKey(key);
  if (WELL_KNOWN_LABELS.has(normalised) && normalised !== NODECLASS_LABEL) return false;
  const [domain = ''] = normalised.split('/', 1);
  return RESERVED.some((reserved) => domain === reserved || domain.endsWith(`.${reserved}`));
}

/** Lists keys that no node label can have. */
export function listKeyFaults(rule: string, key: string, path: FieldPath): readonly Fault[] {
  if (!isQualified(key)) {
    const fix = 'write a key like example.com/team';
    return [createFault(rule, path, `${quote(key)} is no label key`, fix)];
  }
  return isReserved(key)
    ? [createFault(rule, path, `label ${quoteUnlessName(key)} is restricted`, 'use a domain of your own')]
    : [];
}

/** Labels with a closed set of values. */
const CLOSED: ReadonlyMap<string, readonly string[]> = new Map([
  [CAPACITY_TYPE_LABEL, ['on-demand', 'spot', 'reserved']],
  ['karpenter.k8s.aws/instance-tenancy', ['default', 'dedicated']],
]);

const findClosedValues = ({ key, operator }: RequirementSpec): readonly string[] | undefined =>
  operator === 'In' ? CLOSED.get(normaliseLabelKey(key)) : undefined;

interface Owner {
  /** Overlays may apply to the nodes of some pools only. */
  readonly mayNamePool?: boolean;
}

/** Lists requirements that the API server accepts and that nothing can satisfy. */
export const listRequirementFaults = (
  rule: string,
  requirement: RequirementSpec,
  path: FieldPath,
  { mayNamePool = false }: Owner = {},
): readonly Fault[] => [
  ...(mayNamePool && requirement.key === NODEPOOL_LABEL ? [] : listKeyFaults(rule, requirement.key, [...path, 'key'])),
  ...(requirement.values ?? []).flatMap((value, index) =>
    isLabelValue(value)
      ? []
      : [createFault(rule, [...path, 'values', index], `${quote(value)} is no label value`, 'shorten or respell it')],
  ),
];

/** NP-R6: too few of the requested values are among the closed set of values of the label. */
export function listClosedLabelFaults(requirement: RequirementSpec, path: FieldPath): readonly Fault[] {
  const { key, values = [], minValues = 1 } = requirement;
  const closedValues = findClosedValues(requirement);
  const allowedCount = values.filter((value) => closedValues?.includes(value)).length;
  if (!closedValues || allowedCount >= minValues) return [];
  const strange = values.filter((value) => !closedValues.includes(value));
  const why =
    minValues > 1
      ? `${allowedCount} known values of ${describeLabel(key)}, and minValues asks for ${minValues}`
      : 'no node can have such a value';
  return [describeStrangeValues(key, strange, why, closedValues, path)];
}

/** Warns of unknown values next to known ones, which alone are used. */
export function listStrangeValueWarnings(requirement: RequirementSpec, path: FieldPath): readonly Fault[] {
  const { key, values = [] } = requirement;
  const closedValues = findClosedValues(requirement);
  const strange = values.filter((value) => closedValues && !closedValues.includes(value));
  if (!closedValues || strange.length === 0 || strange.length === values.length) return [];
  return [describeStrangeValues(key, strange, 'it is passed over', closedValues, path)];
}

function describeStrangeValues(
  key: string,
  strange: readonly string[],
  why: string,
  closedValues: readonly string[],
  path: FieldPath,
): Fault {
  const [first] = strange;
  const isOne = strange.length === 1;
  const named =
    strange.length === 0
      ? ''
      : `${describeLabel(key)} ${strange.map(quote).join(', ')} ${isOne ? 'is' : 'are'} unknown: `;
  const nearest = isOne && first !== undefined ? findNearestWord(first, closedValues) : undefined;
  const all = `${closedValues.slice(0, -1).join(', ')} or ${closedValues.at(-1) ?? ''}`;
  return createFault('NP-R6', [...path, 'values'], `${named}${why}`, `write ${nearest ?? all}`);
}

/** `instance type`, `capacity type`, `zone`: the name of the label in words. */
export const describeLabel = (label: string): string =>
  label === INSTANCE_TYPE_LABEL ? 'instance type' : label.slice(label.indexOf('/') + 1).replaceAll('-', ' ');
