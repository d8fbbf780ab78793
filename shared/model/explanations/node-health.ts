import type { Node } from '../nodes/node.ts';
import { formatInstant } from '../time.ts';

/**
 * The taints with which Kubernetes marks unhealthy nodes.
 *
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
const PRESSURES: Readonly<Record<string, string>> = {
  'node.kubernetes.io/memory-pressure': 'its memory runs out',
  'node.kubernetes.io/disk-pressure': 'its disk runs full',
  'node.kubernetes.io/pid-pressure': 'its process ids run out',
  'node.kubernetes.io/network-unavailable': 'its network is not set up',
};

/** The ill health of a node, as a part of a sentence; `undefined` if it is healthy. */
export function formatNodeHealth({
  ready,
  troubles = [],
  taints,
}: Pick<Node, 'ready' | 'troubles' | 'taints'>): string | undefined {
  const lines = [
    ...(ready || troubles.some(({ condition }) => condition === 'Ready') ? [] : ['NotReady']),
    ...troubles.map(({ condition, status, reason, since }) => {
      const at = `${formatInstant(since)}${reason ? ` (${reason})` : ''}`;
      if (condition !== 'Ready') return `${condition} is ${status} since ${at}`;
      return status === 'False' ? `NotReady since ${at}` : `unreachable since ${at}: its kubelet does not report`;
    }),
    ...taints.flatMap(({ key }) => PRESSURES[key] ?? []),
  ];
  return lines.length > 0 ? lines.join('; ') : undefined;
}
