import type { Node } from '../model/nodes/node.ts';

/** Holds a Node until its pods have moved and its instance is gone. */
const TERMINATION_FINALIZER = 'karpenter.sh/termination';

export const isHeld = ({ finalizers }: Node): boolean => finalizers.includes(TERMINATION_FINALIZER);

export const withFinalizer = (node: Node): readonly string[] =>
  isHeld(node) ? node.finalizers : [...node.finalizers, TERMINATION_FINALIZER];

/** Others' finalizers stay. */
export const withoutFinalizer = ({ finalizers }: Node): readonly string[] =>
  finalizers.filter((finalizer) => finalizer !== TERMINATION_FINALIZER);
