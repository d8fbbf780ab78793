import type { Stack } from 'aws-cdk-lib';

/** The cluster's ARN, which EKS and ARC identify it by. */
export const clusterArn = ({ stack, cluster }: { readonly stack: Stack; readonly cluster: string }): string =>
  stack.formatArn({ service: 'eks', resource: 'cluster', resourceName: cluster });
