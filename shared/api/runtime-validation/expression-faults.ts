import type { NodeSize } from '../../model/nodes/node-class.ts';
import { type FieldPath, quoted } from '../finding.ts';
import { readExpressions, type WrittenKubelet } from '../stored-objects/kubelet.ts';
import { type Fault, fault } from './fault.ts';
import { computeSize, KNOWN_NAMES, whyInvalid } from '../cel/kubelet-cel.ts';

/** A size that is computed per instance type. */
interface KubeletExpression {
  readonly path: FieldPath;
  readonly cel: string;
}

const AT: FieldPath = ['spec', 'kubelet'];

/** Texts that stand where a number or a quantity could. */
export function expressionsOf(kubelet: WrittenKubelet): readonly KubeletExpression[] {
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
export const disabledExpressions = (kubelet: WrittenKubelet): readonly Fault[] =>
  expressionsOf(kubelet).map(({ path, cel }) =>
    fault(
      'KU-07',
      path,
      `${quoted(cel)} is an expression, and the feature gate NodeClassCEL is off`,
      'write a number, or set AWS_FEATURE_GATES=NodeClassCEL=true',
    ),
  );

/** KU-08: expressions that do not compile, or yield no number. */
export const invalidExpressions = (kubelet: WrittenKubelet): readonly Fault[] =>
  expressionsOf(kubelet).flatMap((expression) =>
    faultsOf('KU-08', expression, whyInvalid(expression.cel)),
  );

/** KU-09: expressions that fail for some instance type, or go out of range. */
export const failingExpressions = (
  kubelet: WrittenKubelet,
  sizes: readonly NodeSize[],
): readonly Fault[] =>
  expressionsOf(kubelet)
    .filter(({ cel }) => whyInvalid(cel) === undefined)
    .flatMap((expression) =>
      faultsOf(
        'KU-09',
        expression,
        isMaxPods(expression)
          ? whyOutOfRange(expression, sizes, MOST_PODS)
          : whyOutOfRange(expression, sizes.map(settledBy(kubelet)), Number.MAX_SAFE_INTEGER),
      ),
    );

const isMaxPods = ({ path }: KubeletExpression): boolean => path.at(-1) === 'maxPods';

/** What is reserved may depend on how many pods there are in the end. */
const settledBy =
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
    : [fault(rule, path, `${quoted(cel)}: ${why}`, `compute a number from ${KNOWN_NAMES}`)];

/** Kubernetes counts pods in 32 bits. */
const MOST_PODS = 2 ** 31 - 1;

function whyOutOfRange(
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
