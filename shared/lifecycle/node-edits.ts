import type { Node } from '../model/nodes/node.ts';

/** Keeps a Node until its pods have moved and its instance is gone. */
const TERMINATION_FINALIZER = 'karpenter.sh/termination';

export const hasTerminationFinalizer = ({ finalizers }: Node): boolean =>
  finalizers.includes(TERMINATION_FINALIZER);

export const addTerminationFinalizer = (node: Node): readonly string[] =>
  hasTerminationFinalizer(node) ? node.finalizers : [...node.finalizers, TERMINATION_FINALIZER];

/** Keeps the finalizers of other controllers. */
export const removeTerminationFinalizer = ({ finalizers }: Node): readonly string[] =>
  finalizers.filter((finalizer) => finalizer !== TERMINATION_FINALIZER);
