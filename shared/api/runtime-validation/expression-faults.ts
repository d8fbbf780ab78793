import type { NodeSize } from '../../model/nodes/node-class.ts';
import { computeSize, explainInvalid, KNOWN_NAMES } from '../cel/kubelet-cel.ts';
import { type FieldPath, quote } from '../finding.ts';
import { readExpressions, type WrittenKubelet } from '../stored-objects/kubelet.ts';
import { createFault, type Fault } from './fault.ts';

/** A kubelet size that is computed for each instance type. */
interface KubeletExpression {
  readonly path: FieldPath;
  readonly cel: string;
}

const AT: FieldPath = ['spec', 'kubelet'];

/** Lists texts in fields for numbers or quantities. */
export function listExpressions(kubelet: WrittenKubelet): readonly KubeletExpression[] {
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
export const listDisabledExpressions = (kubelet: WrittenKubelet): readonly Fault[] =>
  listExpressions(kubelet).map(({ path, cel }) =>
    createFault(
      'KU-07',
      path,
      `${quote(cel)} is an expression, and the feature gate NodeClassCEL is off`,
      'write a number, or set AWS_FEATURE_GATES=NodeClassCEL=true',
    ),
  );

/** KU-08: expressions that do not compile or do not yield a number. */
export const listInvalidExpressions = (kubelet: WrittenKubelet): readonly Fault[] =>
  listExpressions(kubelet).flatMap((expression) => faultsOf('KU-08', expression, explainInvalid(expression.cel)));

/** KU-09: expressions that fail for an instance type or leave the valid range. */
export const listFailingExpressions = (kubelet: WrittenKubelet, sizes: readonly NodeSize[]): readonly Fault[] =>
  listExpressions(kubelet)
    .filter(({ cel }) => explainInvalid(cel) === undefined)
    .flatMap((expression) =>
      faultsOf(
        'KU-09',
        expression,
        isMaxPods(expression)
          ? explainOutOfRange(expression, sizes, MAX_PODS)
          : explainOutOfRange(expression, sizes.map(withEffectiveMaxPods(kubelet)), Number.MAX_SAFE_INTEGER),
      ),
    );

const isMaxPods = ({ path }: KubeletExpression): boolean => path.at(-1) === 'maxPods';

/** The reservations may depend on the effective number of pods. */
const withEffectiveMaxPods =
  ({ maxPods }: WrittenKubelet) =>
  (size: NodeSize): NodeSize => {
    const resolved = typeof maxPods === 'string' ? computeSize(maxPods, size) : maxPods;
    return typeof resolved === 'number' ? { ...size, maxPods: resolved } : size;
  };

const faultsOf = (rule: string, { path, cel }: KubeletExpression, why: string | undefined): readonly Fault[] =>
  why === undefined ? [] : [createFault(rule, path, `${quote(cel)}: ${why}`, `compute a number from ${KNOWN_NAMES}`)];

/** Kubernetes stores maxPods as a 32-bit integer. */
const MAX_PODS = 2 ** 31 - 1;

function explainOutOfRange({ cel }: KubeletExpression, sizes: readonly NodeSize[], max: number): string | undefined {
  for (const size of sizes) {
    const result = computeSize(cel, size);
    if (result === undefined) return `it cannot be computed for ${size.instanceType}`;
    if (result < 0 || result > max) return `it is ${result} for ${size.instanceType}`;
  }
  return undefined;
}
