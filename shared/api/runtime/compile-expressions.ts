import { Environment } from '@marcbachmann/cel-js';
import { quoted } from '../finding.ts';
import { type Fault, fault } from './fault.ts';
import type { KubeletExpression } from './kubelet-expressions.ts';
import type { NodeSize } from './settings.ts';

const VARIABLES = ['vcpus', 'memory_mib', 'default_enis', 'ips_per_eni', 'max_pods'] as const;

const environment = VARIABLES.reduce(
  (built, name) => built.registerVariable(name, 'int'),
  new Environment().registerVariable('instance_type', 'string'),
)
  .registerFunction('min(int, int): int', (a: bigint, b: bigint) => (a < b ? a : b))
  .registerFunction('max(int, int): int', (a: bigint, b: bigint) => (a > b ? a : b))
  .registerFunction('min(double, double): double', (a: number, b: number) => Math.min(a, b))
  .registerFunction('max(double, double): double', (a: number, b: number) => Math.max(a, b));

/** KU-08 and KU-09: expressions that do not compile, or go out of range for an instance type. */
export const expressionFaults = (
  expressions: readonly KubeletExpression[],
  sizes: readonly NodeSize[],
): readonly Fault[] =>
  expressions.flatMap((expression) => {
    const { path, cel } = expression;
    const invalid = whyInvalid(cel);
    const why = invalid ?? whyOutOfRange(expression, sizes);
    if (why === undefined) return [];
    const rule = invalid === undefined ? 'KU-09' : 'KU-08';
    return [fault(rule, path, `${quoted(cel)}: ${why}`, `compute a number from ${KNOWN}`)];
  });

const KNOWN = [...VARIABLES, 'instance_type'].join(', ');

/** Absent: it compiles, and yields a number. */
function whyInvalid(cel: string): string | undefined {
  const { valid, error, type } = environment.check(cel);
  if (!valid) return error?.message.split('\n', 1)[0] ?? 'it cannot be computed';
  return type === 'int' || type === 'double'
    ? undefined
    : `it yields ${type ?? 'nothing'}, not a number`;
}

const LARGEST_COUNT = 2 ** 31 - 1;

/** Absent: every instance type gets a number that can be used. */
function whyOutOfRange(
  { cel, path }: KubeletExpression,
  sizes: readonly NodeSize[],
): string | undefined {
  const compute = environment.parse(cel);
  const most = path.at(-1) === 'maxPods' ? LARGEST_COUNT : Number.MAX_SAFE_INTEGER;
  for (const size of sizes) {
    const result = numberOf(() => compute(variablesOf(size)));
    if (result === undefined) return `it cannot be computed for ${size.instanceType}`;
    if (result < 0 || result > most) return `it is ${result} for ${size.instanceType}`;
  }
  return undefined;
}

/** Whole: what stands behind the point is cut off. */
function numberOf(compute: () => unknown): number | undefined {
  try {
    const result = Number(compute());
    return Number.isFinite(result) ? Math.trunc(result) : undefined;
  } catch {
    // Such as a division by nothing.
    return undefined;
  }
}

const variablesOf = ({ instanceType, vcpus, memoryMib, enis, ipsPerEni, maxPods }: NodeSize) => ({
  instance_type: instanceType,
  vcpus: BigInt(vcpus),
  memory_mib: BigInt(memoryMib),
  default_enis: BigInt(enis),
  ips_per_eni: BigInt(ipsPerEni),
  max_pods: BigInt(maxPods),
});
