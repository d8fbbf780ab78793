import { isRecord } from '../admission/is-record.ts';
import { type Finding, formatPath } from '../finding.ts';
import type { ManifestObject } from '../manifest-object.ts';
import type { JudgedProblem } from './judged-object.ts';

/** A finding as the report has it, with its place in the text. */
export function problemOf(
  { document, at }: Pick<ManifestObject, 'document' | 'at'>,
  { path, code, rule = code, what, why, fix }: Finding,
  kind: Pick<JudgedProblem, 'severity' | 'stage'>,
): JudgedProblem {
  const isKey = code === 'unknown-field';
  return {
    rule,
    ...kind,
    path: formatPath(path),
    ...document.positionOf([...at, ...path], isKey ? 'key' : 'value'),
    // A rule says all there is to say; what a schema refuses is told with the value.
    why: isRuleId(rule) || what === why ? why : `${what}: ${why}`,
    fix,
  };
}

const isRuleId = (rule: string): boolean => /^[A-Z]+-\d/.test(rule);

/** What the object calls itself: `general`, or `general-*` for a name that is yet to be made. */
export function nameOf({ value }: Pick<ManifestObject, 'value'>): string | undefined {
  const { metadata } = value;
  if (!isRecord(metadata)) return undefined;
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name !== '') return name;
  return typeof generateName === 'string' && generateName !== '' ? `${generateName}*` : undefined;
}
