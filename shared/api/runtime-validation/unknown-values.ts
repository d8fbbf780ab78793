import { normaliseLabelKey } from '../../model/labels.ts';
import { findNearestLabel } from '../../model/nearest-label.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { isQualified } from '../admission/metadata.ts';
import { type FieldPath, quote, quoteUnlessName } from '../finding.ts';
import { createFault, type Fault, type LabelValues } from './fault.ts';
import { describeLabel } from './requirement-faults.ts';

/** Domains whose labels Kubernetes defines, so another key in them is most likely misspelt. */
const KUBERNETES_DOMAINS = ['kubernetes.io', 'node.kubernetes.io', 'topology.kubernetes.io'];

/** Warns of keys and values that no node can have, and names the nearest that exist. */
export function listUnknownValueWarnings(
  { key, operator, values = [] }: RequirementSpec,
  path: FieldPath,
  labelValues: LabelValues | undefined,
): readonly Fault[] {
  if (!isQualified(key)) return [];
  const near = findNearestLabel(key);
  const [domain = ''] = key.split('/', 1);
  if (near !== undefined && KUBERNETES_DOMAINS.includes(domain)) {
    const why = `no node has the label ${quoteUnlessName(key)}`;
    return [createFault('unknown-label', [...path, 'key'], why, `write ${near}`)];
  }
  if (!labelValues || (operator !== 'In' && operator !== 'NotIn')) return [];
  const label = normaliseLabelKey(key);
  return values.flatMap((value, index) => {
    if (labelValues.isKnown(label, value) !== false) return [];
    const nearest = labelValues.findNearest(label, value);
    return [
      createFault(
        'unknown-value',
        [...path, 'values', index],
        `${describeLabel(label)} ${quote(value)} is unknown`,
        nearest === undefined ? 'take it out, or correct it' : `write ${nearest}`,
      ),
    ];
  });
}
