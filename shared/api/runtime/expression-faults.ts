import type { NodeSize } from '../../model/node-size.ts';
import { quoted } from '../finding.ts';
import { type Fault, fault } from './fault.ts';
import { computeSize, KNOWN_NAMES, whyInvalid } from './kubelet-cel.ts';
import { expressionsOf, type KubeletExpression } from './kubelet-expressions.ts';

type Kubelet = Readonly<Record<string, unknown>>;

/** KU-08: expressions that do not compile, or yield no number. */
export const invalidExpressions = (kubelet: Kubelet): readonly Fault[] =>
  expressionsOf(kubelet).flatMap((expression) =>
    faultsOf('KU-08', expression, whyInvalid(expression.cel)),
  );

/** KU-09: expressions that fail for some instance type, or go out of range. */
export const failingExpressions = (
  kubelet: Kubelet,
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
  ({ maxPods }: Kubelet) =>
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
