import type { Stack } from 'aws-cdk-lib';

/** The cluster as EKS knows it, and ARC, where it is registered. */
export const clusterArn = ({
  stack,
  cluster,
}: {
  readonly stack: Stack;
  readonly cluster: string;
}): string => stack.formatArn({ service: 'eks', resource: 'cluster', resourceName: cluster });
