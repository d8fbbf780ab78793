import { type Node, TERMINATION_FINALIZER } from '../model/nodes/node.ts';
import { DISRUPTED_TAINT } from '../model/requirements/taints.ts';
import type { Effect, NodeEdit } from './step.ts';

export const hasTerminationFinalizer = ({ finalizers }: Node): boolean => finalizers.includes(TERMINATION_FINALIZER);

export const addTerminationFinalizer = (node: Node): readonly string[] =>
  hasTerminationFinalizer(node) ? node.finalizers : [...node.finalizers, TERMINATION_FINALIZER];

/** Keeps the finalizers of other controllers. */
export const removeTerminationFinalizer = ({ finalizers }: Node): readonly string[] =>
  finalizers.filter((finalizer) => finalizer !== TERMINATION_FINALIZER);

const EXCLUDE_FROM_LOAD_BALANCERS = {
  'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter',
};

/** Starts the removal of a Node: no new pods, no load balancer traffic, deletion timestamp. */
export const taintAndDelete = (node: Node): readonly Effect[] => [
  { kind: 'change-node', node, change: buildDrainEdit(node) },
  { kind: 'delete-node', node: { name: node.name, uid: node.uid } },
];

/** Without our finalizer the Node would be gone at once, and its pods with it. */
const buildDrainEdit = (node: Node): NodeEdit => ({
  // The API server refuses new finalizers on an object that is being deleted.
  ...(!hasTerminationFinalizer(node) && node.deletionAt === undefined && { finalizers: addTerminationFinalizer(node) }),
  labels: EXCLUDE_FROM_LOAD_BALANCERS,
  taints: [...node.taints.filter(({ key }) => key !== DISRUPTED_TAINT.key), DISRUPTED_TAINT],
});

/**
 * Removes a Node: its finalizer, then the Node itself. Only the remaining steps are returned, so
 * that a crash between the two does no harm; none if only finalizers of others hold the Node.
 */
export const releaseNode = (node: Node): readonly Effect[] => [
  ...(hasTerminationFinalizer(node)
    ? [
        {
          kind: 'change-node',
          node,
          change: { finalizers: removeTerminationFinalizer(node) },
        } as const,
      ]
    : []),
  ...(hasTerminationFinalizer(node) || node.deletionAt === undefined
    ? [{ kind: 'delete-node', node: { name: node.name, uid: node.uid } } as const]
    : []),
];
