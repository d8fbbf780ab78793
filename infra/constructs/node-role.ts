import { Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { ManagedPolicy, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acceptWildcards } from '../rights/allow.ts';

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
const STACK_PART_LENGTH = 8;

export interface NodeRoleProps {
  readonly cluster: string;
  /** The path of all roles, such as `/mortise/`; undefined for `/`. */
  readonly path?: string;
}

/**
 * The nodes' role with its access entry, named `MortiseNode-<cluster>-<part of the stack's id>`.
 *
 * Both outlive the stack, or nodes that run on would be cut off from the cluster within minutes.
 * ClusterSetup deletes them with the stack if no node uses them. The next stack has a role of its
 * own, with another name.
 */
export class NodeRole extends Role {
  readonly entry: CfnAccessEntry;
  /**
   * The roles that earlier stacks of the cluster have left with their nodes: EC2NodeClasses may still
   * name one. A longer name, such as one of the cluster `<cluster>-eu`, does not match.
   */
  readonly earlierRoleArns: readonly string[];

  constructor(scope: Construct, id: string, { cluster, path = '/' }: NodeRoleProps) {
    const prefix = `MortiseNode-${cluster}-`;
    const fits = prefix.length + STACK_PART_LENGTH <= MAX_ROLE_NAME_LENGTH;
    const ipv6 = assignIpv6(Stack.of(scope));
    super(scope, id, {
      description: `Nodes of the EKS cluster ${cluster}`,
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      managedPolicies: NODE_POLICIES.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
      // Part of the role, so that it stays with it.
      inlinePolicies: { Ipv6: new PolicyDocument({ statements: [ipv6] }) },
      ...(fits && { roleName: `${prefix}${stackPart(Stack.of(scope))}` }),
    });
    this.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    acceptWildcards(this, ipv6, 'Nodes assign addresses to interfaces that have no names yet.');
    for (const name of NODE_POLICIES) {
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`,
        reason: 'EKS names these policies for nodes, and keeps them up to date with what nodes do.',
      });
    }

    // An access entry belongs to one role id: a role recreated under the same name gets a new
    // entry.
    this.entry = new CfnAccessEntry(this, 'Entry', {
      clusterName: cluster,
      principalArn: this.roleArn,
      type: 'EC2_LINUX',
    });
    this.entry.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);

    const resourceName = `${path.slice(1)}${prefix}${'?'.repeat(STACK_PART_LENGTH)}`;
    const earlier = { service: 'iam', region: '', resource: 'role', resourceName };
    this.earlierRoleArns = fits ? [Stack.of(scope).formatArn(earlier)] : [];
  }
}

/**
 * In IPv6 clusters the VPC CNI assigns prefixes of addresses. AmazonEKS_CNI_Policy is for IPv4: it has
 * the other actions that IPv6 needs, and not this one.
 *
 * @see Amazon EKS user guide, "Configure Amazon VPC CNI plugin to use IRSA": the policy for IPv6
 */
const assignIpv6 = (stack: Stack): PolicyStatement =>
  new PolicyStatement({
    actions: ['ec2:AssignIpv6Addresses'],
    resources: [stack.formatArn({ service: 'ec2', resource: 'network-interface', resourceName: '*' })],
  });

/** The first part of the UUID at the end of the stack's id, which differs for each stack. */
const stackPart = ({ stackId }: Stack): string => Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', stackId))));
