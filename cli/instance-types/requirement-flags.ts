import { ARCH_LABEL, CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import { amountOf, parseQuantity } from '../../shared/model/quantity.ts';
import { OPERATORS, type RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';
import { MEMORY, MIB } from '../../shared/model/resources.ts';
import { choiceParser, wholeNumberParser } from '../arguments/flags.ts';
import { zonesParser } from '../arguments/regions.ts';
import { fail } from '../errors.ts';

const INSTANCE = 'karpenter.k8s.aws/instance-';
const REQUIREMENTS = '--requirements';

type Parser = (text: string) => readonly RequirementSpec[];

/** Parses `KEY OPERATOR VALUE,VALUE`, the requirement of a NodePool in one line; the flag is repeatable. */
export function parseRequirement(text: string, previous: readonly RequirementSpec[] = []): readonly RequirementSpec[] {
  const [key, operator, ...values] = text.split(/[\s,[\]]+/).filter((part) => part !== '');
  if (key === undefined || operator === undefined) {
    throw fail({
      code: 'bad-value',
      what: `"${text}" is no requirement`,
      where: REQUIREMENTS,
      why: `written as a NodePool has it: key, operator (${OPERATORS.join(', ')}), values`,
      fix: `${INSTANCE}family In m7g,m7i`,
    });
  }
  const parseOperator = choiceParser(`${REQUIREMENTS} "${text}", operator`, OPERATORS);
  return [...previous, { key, operator: parseOperator(operator), values }];
}

export const parseArch: Parser = (text) => isOneOf(ARCH_LABEL, choiceParser('--arch', ARCHES)(text));
export const ARCHES = ['amd64', 'arm64'] as const;

export const parseCapacityType: Parser = (text) =>
  isOneOf(CAPACITY_TYPE_LABEL, choiceParser('--capacity-type', CAPACITY_TYPES)(text));
export const CAPACITY_TYPES = ['on-demand', 'spot'] as const;

export const parseZones: Parser = (text) => isOneOf(ZONE_LABEL, zonesParser('--zone')(text));

const isOneOf = (key: string, values: string): readonly RequirementSpec[] => [
  { key, operator: 'In', values: values.split(',') },
];

/** Types without GPUs have no such label. */
export function parseGpus(text: string): readonly RequirementSpec[] {
  const key = `${INSTANCE}gpu-count`;
  const count = wholeNumberParser('--gpus', 0, 64)(text);
  return [count === 0 ? { key, operator: 'DoesNotExist' } : { key, operator: 'Gte', values: [`${count}`] }];
}

export const parseVcpus: Parser = (text) =>
  parseRange(text, '--vcpus', `${INSTANCE}cpu`, '4-16, 4-, -16 or 8', (amount) =>
    /^\d+$/.test(amount) ? Number(amount) : Number.NaN,
  );

export const parseMemory: Parser = (text) =>
  parseRange(text, '--memory', `${INSTANCE}memory`, '16Gi-64Gi, 16Gi-, -64Gi or 8Gi', (amount) => {
    const quantity = parseQuantity(amount);
    return (quantity && Math.ceil(amountOf(MEMORY, quantity) / MIB)) || Number.NaN;
  });

/** @param toNumber - NaN for what is no amount */
function parseRange(
  text: string,
  flag: string,
  key: string,
  examples: string,
  toNumber: (amount: string) => number,
): readonly RequirementSpec[] {
  const [from = '', to = from, ...rest] = text.split('-');
  const min = from === '' ? 0 : toNumber(from);
  const max = to === '' ? Infinity : toNumber(to);
  // Comparisons with NaN are false.
  if (rest.length > 0 || `${from}${to}` === '' || !(min <= max)) {
    throw fail({
      code: 'bad-value',
      what: `"${text}" is no range`,
      where: flag,
      why: 'expected are one or two amounts, the smaller one first',
      fix: `written like ${examples}`,
    });
  }
  return [
    ...(from === '' ? [] : [{ key, operator: 'Gte' as const, values: [`${min}`] }]),
    ...(to === '' ? [] : [{ key, operator: 'Lte' as const, values: [`${max}`] }]),
  ];
}
