import { normaliseLabelKey, WELL_KNOWN_LABELS } from '../../shared/model/labels.ts';
import { findNearestLabel } from '../../shared/model/nearest-label.ts';
import type { Operator, RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';
import { CliError, fail, type Problem } from '../errors.ts';
import { BUNDLED_VALUES, isImpossibleValue } from './known-values.ts';

const FLAG = '--requirements';

/** Operators between key and value; `>=` is before `>` because it starts with it. */
const BETWEEN: readonly (readonly [sign: string, operator: Operator])[] = [
  ['!=', 'NotIn'],
  ['==', 'In'],
  ['>=', 'Gte'],
  ['<=', 'Lte'],
  ['>', 'Gt'],
  ['<', 'Lt'],
  ['=', 'In'],
];

/**
 * Parses requirements in the syntax of kubectl's label selectors, with bounds:
 * `kubernetes.io/arch=arm64,karpenter.k8s.aws/instance-category in
 * (c,m),karpenter.k8s.aws/instance-cpu>4`.
 *
 * @throws CliError - `bad-value`, one for each wrong part
 */
export function parseLabelExpressions(text: string): readonly RequirementSpec[] {
  const specs: RequirementSpec[] = [];
  const problems: Problem[] = [];
  for (const part of partsOf(text)) {
    const reading = readPart(part);
    if (reading instanceof CliError) problems.push(...reading.problems);
    else specs.push(reading);
  }
  if (problems.length > 0) throw new CliError(problems);
  return specs;
}

/** Splits at commas outside of parentheses. */
const partsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\([^)]*\)?|[^,(])+/g)].map(([part]) => part.trim()).filter((part) => part !== '');

function readPart(part: string): RequirementSpec | CliError {
  const spec = toSpec(part);
  if (spec instanceof CliError) return spec;
  return keyProblem(spec.key) ?? valueProblem(spec) ?? spec;
}

const SET = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/i;

function toSpec(part: string): RequirementSpec | CliError {
  const [, setKey, word = '', list = ''] = SET.exec(part) ?? [];
  if (setKey !== undefined) {
    const values = list.split(',').map((value) => value.trim());
    return { key: setKey, operator: word.toLowerCase() === 'in' ? 'In' : 'NotIn', values };
  }
  if (/\s(in|notin)\b|[()]/i.test(part)) {
    return badPart(part, 'is no list of values', 'written like key in (a,b)');
  }
  const [sign, operator] = BETWEEN.find(([candidate]) => part.includes(candidate)) ?? [];
  if (sign !== undefined && operator !== undefined) {
    const [key = '', value = ''] = splitAt(part, sign);
    return { key, operator, values: [value] };
  }
  return part.startsWith('!')
    ? { key: part.slice(1).trim(), operator: 'DoesNotExist' }
    : { key: part, operator: 'Exists' };
}

const splitAt = (part: string, sign: string): readonly string[] => {
  const at = part.indexOf(sign);
  return [part.slice(0, at).trim(), part.slice(at + sign.length).trim()];
};

/** Instance types carry no custom labels, so an unknown key is most likely misspelt. */
function keyProblem(key: string): CliError | undefined {
  if (WELL_KNOWN_LABELS.has(normaliseLabelKey(key))) return undefined;
  const similar = findNearestLabel(key);
  return fail({
    code: 'bad-value',
    what: `no instance type has label "${key}"`,
    where: FLAG,
    why: 'labels of a NodePool of its own do not choose instance types',
    ...(similar !== undefined && { fix: similar }),
  });
}

function valueProblem({ key, operator, values = [] }: RequirementSpec): CliError | undefined {
  const isBound = ['Gt', 'Gte', 'Lt', 'Lte'].includes(operator);
  const wrong = values.find((value) => (isBound ? !/^-?\d+$/.test(value) : !/^[\w.-]+$/.test(value)));
  if (wrong === undefined) return isBound ? undefined : impossibleValueProblem(key, values);
  const why = isBound ? 'bounds are whole numbers' : 'values are letters, digits, -, _ and .';
  return badPart(`${key} ${operator} ${wrong}`.trim(), 'has a wrong value', why);
}

function impossibleValueProblem(key: string, values: readonly string[]): CliError | undefined {
  const label = normaliseLabelKey(key);
  const wrong = values.find((value) => isImpossibleValue(label, value));
  if (wrong === undefined) return undefined;
  const nearest = BUNDLED_VALUES.findNearest(label, wrong);
  return fail({
    code: 'bad-value',
    what: `no node has "${wrong}" as ${key}`,
    where: FLAG,
    ...(nearest !== undefined && { fix: nearest }),
  });
}

const badPart = (part: string, what: string, why: string): CliError =>
  fail({ code: 'bad-value', what: `"${part}" ${what}`, where: FLAG, why });
