import type * as z from 'zod';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../shared/model/settings.ts';
import { decisionSettingsSchema } from '../../shared/model-schema/settings-schema.ts';
import { fail } from '../errors.ts';
import type { SettingChange } from './setting-change.ts';

/**
 * Returns the settings with the changes.
 *
 * @param settings - undefined for the defaults
 * @throws CliError - `bad-value`: there is no such field, or the value is not allowed
 */
export function changeSettings(
  settings: DecisionSettings | undefined,
  changes: readonly SettingChange[],
): DecisionSettings {
  return changes.reduce((current, change) => changeSetting(current, change), settings ?? DEFAULT_SETTINGS);
}

function changeSetting(settings: DecisionSettings, { field, value }: SettingChange): DecisionSettings {
  const [head = '', inner] = field.split('.');
  const group: unknown = Object.entries(settings).find(([name]) => name === head)?.[1];
  const isGroup = typeof group === 'object' && group !== null && !Array.isArray(group);
  const isNamed = inner === undefined ? !isGroup : isGroup && Object.hasOwn(group, inner);
  if (!isNamed || !SETTABLE.includes(head)) throw unknownField(field, settings);

  const parsed = decisionSettingsSchema.safeParse({
    ...settings,
    [head]: isGroup && inner !== undefined ? { ...group, [inner]: toValue(value) } : toValue(value),
  });
  if (parsed.success) return parsed.data;
  throw fail({
    code: 'bad-value',
    what: `${field} cannot be ${value}`,
    where: '--set',
    why: whyRefused(parsed.error.issues[0]),
  });
}

function whyRefused(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_type') return `it must be of the type ${issue.expected}`;
  if (issue?.code === 'invalid_value') return `allowed are ${issue.values.join(', ')}`;
  if (issue?.code === 'too_small') return `it must be at least ${issue.minimum}`;
  return issue?.code === 'invalid_union'
    ? 'allowed are a number of 0 or more, and Any'
    : (issue?.message ?? 'the value is not allowed');
}

const SETTABLE: readonly string[] = [
  'gates',
  'preferencePolicy',
  'minValuesPolicy',
  'ignoreDraRequests',
  'perNodeHourlyUsd',
  'consolidationPaybackMs',
  'evictionCostUsd',
  'rankedEvictionCostUsd',
  'growthWindowMs',
  'steerPods',
  'surplusNodes',
  'rebalancePolicy',
  'sizes',
];

/** Numbers and booleans are written as in JSON; everything else is text. */
const toValue = (text: string): unknown => (/^(?:true|false|-?\d+(?:\.\d+)?)$/.test(text) ? JSON.parse(text) : text);

function unknownField(field: string, { gates, sizes }: DecisionSettings) {
  const fields = SETTABLE.filter((name) => name !== 'gates' && name !== 'sizes');
  const groups = Object.entries({ gates, sizes }).flatMap(([group, members]) =>
    Object.keys(members).map((name) => `${group}.${name}`),
  );
  return fail({
    code: 'bad-value',
    what: `there is no setting ${field}`,
    where: '--set',
    fix: [...fields, ...groups].join(', '),
  });
}
