import { Environment } from '@marcbachmann/cel-js';
import { quoted } from '../finding.ts';
import { type Fault, fault } from './fault.ts';
import type { KubeletExpression } from './kubelet-expressions.ts';

const VARIABLES = ['vcpus', 'memory_mib', 'default_enis', 'ips_per_eni', 'max_pods'] as const;

const environment = VARIABLES.reduce(
  (built, name) => built.registerVariable(name, 'int'),
  new Environment().registerVariable('instance_type', 'string'),
)
  .registerFunction('min(int, int): int', (a: bigint, b: bigint) => (a < b ? a : b))
  .registerFunction('max(int, int): int', (a: bigint, b: bigint) => (a > b ? a : b))
  .registerFunction('min(double, double): double', (a: number, b: number) => Math.min(a, b))
  .registerFunction('max(double, double): double', (a: number, b: number) => Math.max(a, b));

/** KU-08: expressions that do not compile, or yield no number. */
export const invalidExpressions = (expressions: readonly KubeletExpression[]): readonly Fault[] =>
  expressions.flatMap(({ path, cel }) => {
    const why = whyInvalid(cel);
    const known = [...VARIABLES, 'instance_type'].join(', ');
    return why === undefined
      ? []
      : [fault('KU-08', path, `${quoted(cel)}: ${why}`, `compute a number from ${known}`)];
  });

/** Absent: it compiles, and yields a number. */
function whyInvalid(cel: string): string | undefined {
  const { valid, error, type } = environment.check(cel);
  if (!valid) return error?.message.split('\n', 1)[0] ?? 'it cannot be computed';
  return type === 'int' || type === 'double'
    ? undefined
    : `it yields ${type ?? 'nothing'}, not a number`;
}
