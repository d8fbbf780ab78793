/**
 * The stack's name, one per cluster. Stack names do not allow `_`, which cluster names may contain.
 */
export const stackName = (cluster: string): string => `Mortise-${cluster.replaceAll('_', '--')}`;

/**
 * The description of a stack's output. The command finds the outputs for a cluster by it, whatever
 * stack they are in.
 *
 * @param name - such as `StateTable`
 */
export const outputDescription = (name: string, cluster: string): string =>
  `${name} of Mortise for the cluster ${cluster}`;
