import { Environment } from '@marcbachmann/cel-js';
import { parseQuantity } from '../../model/quantity.ts';
import { isRecord } from '../admission/is-record.ts';
import { type FieldPath, quoted } from '../finding.ts';
import { type Fault, fault } from './fault.ts';

type Kubelet = Readonly<Record<string, unknown>>;

interface Expression {
  readonly path: FieldPath;
  readonly cel: string;
}

/** KU-07, KU-08: sizes that are computed per instance type, behind the gate NodeClassCEL. */
export function expressionFaults(kubelet: Kubelet, isGateOn: boolean): readonly Fault[] {
  return expressionsOf(kubelet).flatMap(({ path, cel }) => {
    if (!isGateOn) {
      return [
        fault(
          'KU-07',
          path,
          `${quoted(cel)} is an expression, and the feature gate NodeClassCEL is off`,
          'write a number, or set AWS_FEATURE_GATES=NodeClassCEL=true',
        ),
      ];
    }
    const why = whyInvalid(cel);
    return why === undefined
      ? []
      : [fault('KU-08', path, `${quoted(cel)}: ${why}`, `use ${VARIABLES.join(', ')}`)];
  });
}

function expressionsOf(kubelet: Kubelet): readonly Expression[] {
  const { maxPods } = kubelet;
  return [
    ...(typeof maxPods === 'string'
      ? [{ path: ['spec', 'kubelet', 'maxPods'], cel: maxPods }]
      : []),
    ...['systemReserved', 'kubeReserved'].flatMap((field) => {
      const reserved = kubelet[field];
      if (!isRecord(reserved)) return [];
      return Object.entries(reserved)
        .map(([name, amount]) => ({ path: ['spec', 'kubelet', field, name], cel: `${amount}` }))
        .filter(({ cel }) => parseQuantity(cel) === undefined && !cel.startsWith('-'));
    }),
  ];
}

const VARIABLES = ['vcpus', 'memory_mib', 'default_enis', 'ips_per_eni', 'max_pods'] as const;

const environment = VARIABLES.reduce(
  (built, name) => built.registerVariable(name, 'int'),
  new Environment().registerVariable('instance_type', 'string'),
)
  .registerFunction('min(int, int): int', (a: bigint, b: bigint) => (a < b ? a : b))
  .registerFunction('max(int, int): int', (a: bigint, b: bigint) => (a > b ? a : b))
  .registerFunction('min(double, double): double', (a: number, b: number) => Math.min(a, b))
  .registerFunction('max(double, double): double', (a: number, b: number) => Math.max(a, b));

/** Absent: it compiles, and yields a number. */
function whyInvalid(cel: string): string | undefined {
  const { valid, error, type } = environment.check(cel);
  if (!valid) return error?.message.split('\n', 1)[0] ?? 'it cannot be computed';
  return type === 'int' || type === 'double'
    ? undefined
    : `it yields ${type ?? 'no'}, not a number`;
}
