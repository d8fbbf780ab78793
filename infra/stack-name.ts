/** One name per cluster. Stack names know no `_`, cluster names may have them. */
export const stackName = (cluster: string): string => `Mortise-${cluster.replaceAll('_', '--')}`;
