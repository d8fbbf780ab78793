import { type FieldPath, quoted } from '../finding.ts';
import { readExpressions } from '../kubelet.ts';
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
  const { maxPods, kubeReserved = {}, systemReserved = {} } = readExpressions(kubelet) ?? {};
  const below = (field: string, texts: Readonly<Record<string, string>>): KubeletExpression[] =>
    Object.entries(texts).map(([name, cel]) => ({ path: [...AT, field, name], cel }));
  return [
    ...(maxPods === undefined ? [] : [{ path: [...AT, 'maxPods'], cel: maxPods }]),
    ...below('systemReserved', systemReserved),
    ...below('kubeReserved', kubeReserved),
  ];
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
