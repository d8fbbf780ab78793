/**
 * The stack's name, one per cluster. Stack names do not allow `_`, which cluster names may contain.
 */
export const stackName = (cluster: string): string => `Mortise-${cluster.replaceAll('_', '--')}`;
