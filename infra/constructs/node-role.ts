import { Stack, Validations } from 'aws-cdk-lib';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * The managed policies that EKS requires of nodes (join, pod addresses, image pulls), and Session
 * Manager instead of SSH.
 */
const NODE_POLICIES = [
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryPullOnly',
  'AmazonSSMManagedInstanceCore',
] as const;

const MAX_ROLE_NAME_LENGTH = 64;
const MAX_REGION_LENGTH = 'ap-southeast-2'.length;

export interface NodeRoleProps {
  readonly cluster: string;
}

/**
 * The nodes' role with its access entry. EC2NodeClasses in Git name it, so its name is predictable:
 * `MortiseNode-<cluster>-<region>`, unless that exceeds IAM's limit.
 */
export class NodeRole extends Role {
  constructor(scope: Construct, id: string, { cluster }: NodeRoleProps) {
    const prefix = `MortiseNode-${cluster}-`;
    const fits = prefix.length + MAX_REGION_LENGTH <= MAX_ROLE_NAME_LENGTH;
    super(scope, id, {
      description: `Nodes of the EKS cluster ${cluster}`,
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      managedPolicies: NODE_POLICIES.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
      ...(fits && { roleName: `${prefix}${Stack.of(scope).region}` }),
    });
    for (const name of NODE_POLICIES) {
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`,
        reason: 'EKS names these policies for nodes, and keeps them up to date with what nodes do.',
      });
    }

    // An access entry belongs to one role id: a role recreated under the same name gets a new
    // entry.
    new CfnAccessEntry(this, 'Entry', {
      clusterName: cluster,
      principalArn: this.roleArn,
      type: 'EC2_LINUX',
    });
  }
}
