import { ARCH_LABEL, CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import { amountOf, parseQuantity } from '../../shared/model/quantity.ts';
import type { RequirementSpec } from '../../shared/model/requirements/requirement-specs.ts';
import { MEMORY, MIB } from '../../shared/model/resources.ts';
import { fail } from '../errors.ts';

const INSTANCE = 'karpenter.k8s.aws/instance-';

/** Requirements given by flags of their own, for users without knowledge of the labels. */
export interface Demands {
  readonly vcpus: string | undefined;
  readonly memory: string | undefined;
  readonly gpus: number | undefined;
  readonly arch: string | undefined;
  readonly capacityType: string | undefined;
  readonly zone: string | undefined;
}

/**
 * @throws CliError - `bad-value` for a malformed range
 */
export function requirementsOfDemands(demands: Demands): readonly RequirementSpec[] {
  const { vcpus, memory, gpus, arch, capacityType, zone } = demands;
  return [
    ...(vcpus === undefined ? [] : range(`${INSTANCE}cpu`, '--vcpus', vcpus, wholeNumber)),
    ...(memory === undefined ? [] : range(`${INSTANCE}memory`, '--memory', memory, mebibytes)),
    ...(gpus === undefined ? [] : atLeast(`${INSTANCE}gpu-count`, gpus)),
    ...isOneOf(ARCH_LABEL, arch),
    ...isOneOf(CAPACITY_TYPE_LABEL, capacityType),
    ...isOneOf(ZONE_LABEL, zone),
  ];
}

const isOneOf = (key: string, values: string | undefined): readonly RequirementSpec[] =>
  values === undefined ? [] : [{ key, operator: 'In', values: values.split(',') }];

/** A minimum of 0 is no requirement, because some types have no such label. */
const atLeast = (key: string, count: number): readonly RequirementSpec[] =>
  count === 0 ? [{ key, operator: 'DoesNotExist' }] : [{ key, operator: 'Gte', values: [`${count}`] }];

type Amount = (text: string) => number | undefined;

const wholeNumber: Amount = (text) => (/^\d+$/.test(text) ? Number(text) : undefined);

const mebibytes: Amount = (text) => {
  const quantity = parseQuantity(text);
  const bytes = quantity && amountOf(MEMORY, quantity);
  return bytes === undefined || bytes <= 0 ? undefined : Math.ceil(bytes / MIB);
};

/** Parses `4-16`, `4-` and `-16`; a single number means exactly that number. */
function range(key: string, flag: string, text: string, amount: Amount): readonly RequirementSpec[] {
  const [from = '', to = from, ...rest] = text.split('-');
  const [min, max] = [amount(from), amount(to)];
  const isWrong =
    rest.length > 0 ||
    (from === '' && to === '') ||
    (from !== '' && min === undefined) ||
    (to !== '' && max === undefined) ||
    (min !== undefined && max !== undefined && min > max);
  if (isWrong) {
    throw fail({
      code: 'bad-value',
      what: `"${text}" is no range`,
      where: flag,
      why: flag === '--memory' ? 'written like 16Gi-64Gi, 16Gi- or -64Gi' : 'written like 4-16, 4- or -16',
    });
  }
  return [
    ...(min === undefined ? [] : [{ key, operator: 'Gte' as const, values: [`${min}`] }]),
    ...(max === undefined ? [] : [{ key, operator: 'Lte' as const, values: [`${max}`] }]),
  ];
}
