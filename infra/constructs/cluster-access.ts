import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

/** What a group may do is said by RBAC objects in the cluster; without them it may do nothing. */
export type ClusterGroup = 'mortise:controller' | 'mortise:reader';

export interface ClusterAccessProps {
  readonly cluster: string;
  readonly fn: IFunction;
  readonly group: ClusterGroup;
}

/** Lets a function in as a member of one group. No access policy of EKS: they grant more than we use. */
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
