import { parseQuantity } from '../../model/quantity.ts';
import { isRecord } from '../admission/is-record.ts';
import { type FieldPath, quoted } from '../finding.ts';
import { type Fault, fault } from './fault.ts';

type Kubelet = Readonly<Record<string, unknown>>;

/** A size that is computed per instance type. */
export interface KubeletExpression {
  readonly path: FieldPath;
  readonly cel: string;
}

const AT: FieldPath = ['spec', 'kubelet'];

/** Texts that stand where a number or a quantity could. */
export function expressionsOf(kubelet: Kubelet): readonly KubeletExpression[] {
  const { maxPods } = kubelet;
  return [
    ...(typeof maxPods === 'string' ? [{ path: [...AT, 'maxPods'], cel: maxPods }] : []),
    ...['systemReserved', 'kubeReserved'].flatMap((field) => reservedExpressions(kubelet, field)),
  ];
}

function reservedExpressions(kubelet: Kubelet, field: string): readonly KubeletExpression[] {
  const reserved = kubelet[field];
  if (!isRecord(reserved)) return [];
  return Object.entries(reserved).flatMap(([name, amount]) =>
    typeof amount === 'string' && parseQuantity(amount) === undefined && !amount.startsWith('-')
      ? [{ path: [...AT, field, name], cel: amount }]
      : [],
  );
}

/** KU-07: expressions while the gate NodeClassCEL is off. */
export const disabledExpressions = (kubelet: Kubelet): readonly Fault[] =>
  expressionsOf(kubelet).map(({ path, cel }) =>
    fault(
      'KU-07',
      path,
      `${quoted(cel)} is an expression, and the feature gate NodeClassCEL is off`,
      'write a number, or set AWS_FEATURE_GATES=NodeClassCEL=true',
    ),
  );
