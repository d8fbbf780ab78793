import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

/**
 * The Kubernetes group of each function. RBAC objects in the cluster define its rights; without them
 * it has none.
 */
export type ClusterGroup =
  | 'mortise:provisioning'
  | 'mortise:node-lifecycle'
  | 'mortise:disruption'
  | 'mortise:interruption'
  | 'mortise:sweep'
  | 'mortise:node-class'
  | 'mortise:poll'
  | 'mortise:webhook-control';

export interface ClusterAccessProps {
  readonly cluster: string;
  readonly fn: IFunction;
  readonly group: ClusterGroup;
}

/**
 * Adds a function's role to one Kubernetes group. EKS access policies are not used: they grant more
 * than we need.
 */
export class ClusterAccess extends Construct {
  constructor(scope: Construct, id: string, { cluster, fn, group }: ClusterAccessProps) {
    super(scope, id);
    const { role } = fn;
    if (!role) throw new Error(`${fn.node.path} has no role to let in`);

    new CfnAccessEntry(this, 'Entry', {
      clusterName: cluster,
      principalArn: role.roleArn,
      type: 'STANDARD',
      kubernetesGroups: [group],
    });
  }
}
