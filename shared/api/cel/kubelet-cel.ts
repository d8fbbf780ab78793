import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import type { NodeSize } from '../../model/nodes/node-class.ts';

const NUMBERS = ['vcpus', 'memory_mib', 'default_enis', 'ips_per_eni', 'max_pods'] as const;

/** The names that an expression may use. */
export const KNOWN_NAMES = [...NUMBERS, 'instance_type'].join(', ');

/**
 * More than a size expression needs. A NodeClass author must not be able to slow the controller
 * down for others.
 */
const LIMITS = { maxAstNodes: 500, maxDepth: 50, maxListElements: 100 };
const MAX_TEXT_LENGTH = 2_000;

const lesser = (a: number, b: bigint | number): number => Math.min(a, Number(b));
const greater = (a: number, b: bigint | number): number => Math.max(a, Number(b));

const environment = NUMBERS.reduce(
  (built, name) => built.registerVariable(name, 'int'),
  new Environment({ limits: LIMITS }).registerVariable('instance_type', 'string'),
)
  .registerFunction('min(int, int): int', (a: bigint, b: bigint) => (a < b ? a : b))
  .registerFunction('max(int, int): int', (a: bigint, b: bigint) => (a > b ? a : b))
  .registerFunction('min(double, double): double', lesser)
  .registerFunction('max(double, double): double', greater)
  .registerFunction('min(double, int): double', lesser)
  .registerFunction('max(double, int): double', greater)
  .registerFunction('min(int, double): double', (a: bigint, b: number) => lesser(b, a))
  .registerFunction('max(int, double): double', (a: bigint, b: number) => greater(b, a));

/** Explains why the text is not a valid numeric expression. Returns `undefined` if it is valid. */
export function explainInvalid(cel: string): string | undefined {
  if (cel.length > MAX_TEXT_LENGTH) return `it is longer than ${MAX_TEXT_LENGTH} characters`;
  const { valid, error, type } = environment.check(cel);
  if (!valid) return error?.message.split('\n', 1)[0] ?? 'it cannot be computed';
  return type === 'int' || type === 'double' ? undefined : `it yields ${type ?? 'nothing'}, not a number`;
}

// The cache has one entry for each text in the NodeClasses, usually a few dozen; each is evaluated
// for all types.
const parsed = new Map<string, ParseResult | undefined>();
const MAX_PARSED = 500;

function parse(cel: string): ParseResult | undefined {
  if (parsed.has(cel)) return parsed.get(cel);
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const fresh = explainInvalid(cel) === undefined ? environment.parse(cel) : undefined;
  parsed.set(cel, fresh);
  return fresh;
}

/**
 * Evaluates to a whole number, without the fraction. Returns `undefined` if the expression is
 * invalid or fails for this size.
 */
export function computeSize(cel: string, size: NodeSize): number | undefined {
  const compute = parse(cel);
  if (!compute) return undefined;
  try {
    const result = Number(compute(toVariables(size)));
    return Number.isFinite(result) ? Math.trunc(result) : undefined;
  } catch {
    // For example a division by zero.
    return undefined;
  }
}

const toVariables = ({ instanceType, vcpus, memoryMib, enis, ipsPerEni, maxPods }: NodeSize) => ({
  instance_type: instanceType,
  vcpus: BigInt(vcpus),
  memory_mib: BigInt(memoryMib),
  default_enis: BigInt(enis),
  ips_per_eni: BigInt(ipsPerEni),
  max_pods: BigInt(maxPods),
});
