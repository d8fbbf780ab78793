import {
  CAPACITY_TYPE_LABEL,
  NODECLASS_LABEL,
  normaliseLabelKey,
  WELL_KNOWN_LABELS,
} from '../model/labels.ts';
import { isLabelValue, isQualified } from './admission/names.ts';
import { named, quoted } from './finding.ts';
import type { WrittenNodePool } from './node-pool.ts';

type Template = WrittenNodePool['spec']['template'];
type WrittenRequirement = Template['spec']['requirements'][number];
type WrittenTaint = NonNullable<Template['spec']['taints']>[number];

/**
 * What the API server stores and nobody can use, each with its rule: a pool with such faults is not
 * Ready. The rules that refuse a pool are in its schema.
 */
export function faultsOf({ metadata, spec }: Template): readonly string[] {
  return [
    ...Object.keys(metadata?.labels ?? {}).flatMap((key) => keyFault('NP-R1', key)),
    ...taintFaults([...(spec.taints ?? []), ...(spec.startupTaints ?? [])]),
    ...spec.requirements.flatMap(requirementFaults),
  ];
}

const RESERVED = ['karpenter.sh', 'karpenter.k8s.aws'];

/** In a domain of the autoscaler without being a label that it knows. */
function isReserved(key: string): boolean {
  const known = normaliseLabelKey(key);
  if (WELL_KNOWN_LABELS.has(known) && known !== NODECLASS_LABEL) return false;
  const [domain = ''] = known.split('/', 1);
  return RESERVED.some((reserved) => domain === reserved || domain.endsWith(`.${reserved}`));
}

function keyFault(rule: string, key: string): readonly string[] {
  if (!isQualified(key)) return [`${rule}: ${quoted(key)} is no label key`];
  return isReserved(key) ? [`${rule}: label ${named(key)} is restricted`] : [];
}

const taintFaults = (taints: readonly WrittenTaint[]): readonly string[] =>
  taints.flatMap(({ key, value, effect }, index) => {
    const unfit = [key, ...(value === undefined ? [] : [value])].filter(
      (text) => !isQualified(text),
    );
    const isSecond = taints.slice(0, index).some((one) => one.key === key && one.effect === effect);
    return [
      ...unfit.map((text) => `NP-R2: ${quoted(text)} is not for a taint`),
      ...(isSecond ? [`NP-R3: taint ${named(key)}:${effect} is there twice`] : []),
    ];
  });

/** Labels of which every value is known. */
const CLOSED: ReadonlyMap<string, readonly string[]> = new Map([
  [CAPACITY_TYPE_LABEL, ['on-demand', 'spot', 'reserved']],
  ['karpenter.k8s.aws/instance-tenancy', ['default', 'dedicated']],
]);

function requirementFaults(requirement: WrittenRequirement): readonly string[] {
  const { key, operator, values = [], minValues = 1 } = requirement;
  const unfit = values.filter((value) => !isLabelValue(value));
  const closed = operator === 'In' ? CLOSED.get(normaliseLabelKey(key)) : undefined;
  const found = closed && values.filter((value) => closed.includes(value)).length;
  return [
    ...keyFault('NP-R4', key),
    ...unfit.map((value) => `NP-R4: ${quoted(value)} is no label value`),
    ...(found !== undefined && found < minValues
      ? [`NP-R6: ${found} known values of ${key}, needs ${minValues}`]
      : []),
  ];
}
