import type { NodeSize } from '../../model/nodes/node-class.ts';
import { computeSize, explainInvalid, KNOWN_NAMES } from '../cel/kubelet-cel.ts';
import { type FieldPath, quote } from '../finding.ts';
import { readExpressions, type WrittenKubelet } from '../stored-objects/kubelet.ts';
import { createFault, type Fault } from './fault.ts';

/** A size that is computed per instance type. */
interface KubeletExpression {
  readonly path: FieldPath;
  readonly cel: string;
}

const AT: FieldPath = ['spec', 'kubelet'];

/** Texts that stand where a number or a quantity could. */
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

/** KU-08: expressions that do not compile, or yield no number. */
export const listInvalidExpressions = (kubelet: WrittenKubelet): readonly Fault[] =>
  listExpressions(kubelet).flatMap((expression) =>
    faultsOf('KU-08', expression, explainInvalid(expression.cel)),
  );

/** KU-09: expressions that fail for some instance type, or go out of range. */
export const listFailingExpressions = (
  kubelet: WrittenKubelet,
  sizes: readonly NodeSize[],
): readonly Fault[] =>
  listExpressions(kubelet)
    .filter(({ cel }) => explainInvalid(cel) === undefined)
    .flatMap((expression) =>
      faultsOf(
        'KU-09',
        expression,
        isMaxPods(expression)
          ? explainOutOfRange(expression, sizes, MAX_PODS)
          : explainOutOfRange(
              expression,
              sizes.map(withEffectiveMaxPods(kubelet)),
              Number.MAX_SAFE_INTEGER,
            ),
      ),
    );

const isMaxPods = ({ path }: KubeletExpression): boolean => path.at(-1) === 'maxPods';

/** What is reserved may depend on how many pods there are in the end. */
const withEffectiveMaxPods =
  ({ maxPods }: WrittenKubelet) =>
  (size: NodeSize): NodeSize => {
    const settled = typeof maxPods === 'string' ? computeSize(maxPods, size) : maxPods;
    return typeof settled === 'number' ? { ...size, maxPods: settled } : size;
  };

const faultsOf = (
  rule: string,
  { path, cel }: KubeletExpression,
  why: string | undefined,
): readonly Fault[] =>
  why === undefined
    ? []
    : [createFault(rule, path, `${quote(cel)}: ${why}`, `compute a number from ${KNOWN_NAMES}`)];

/** Kubernetes counts pods in 32 bits. */
const MAX_PODS = 2 ** 31 - 1;

function explainOutOfRange(
  { cel }: KubeletExpression,
  sizes: readonly NodeSize[],
  most: number,
): string | undefined {
  for (const size of sizes) {
    const result = computeSize(cel, size);
    if (result === undefined) return `it cannot be computed for ${size.instanceType}`;
    if (result < 0 || result > most) return `it is ${result} for ${size.instanceType}`;
  }
  return undefined;
}
