import { App, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Right } from './allow.ts';
import type { Fleet } from './fleet.ts';
import { checkInstances, describeEc2, endInstances, nameInstances } from './instances.ts';
import { launchInstances, passNodeRoles } from './launch.ts';
import {
  createNodeAccess,
  createProfiles,
  findCluster,
  findTemplates,
  removeProfiles,
  removeTemplates,
  resolveClasses,
} from './node-classes.ts';

/** Texts that `mortise controller --print-setup` replaces by the user's own. */
const PLACEHOLDERS = {
  partition: '<partition>',
  region: '<region>',
  account: '<account>',
  cluster: '<cluster>',
  nodeRole: '<node-role>',
} as const;

const { partition, region, account, cluster, nodeRole } = PLACEHOLDERS;

/**
 * Builds the IAM policy of a controller without the stack: the rights of all functions on EC2, IAM
 * and EKS, from the same statements.
 */
export function buildControllerPolicy(): unknown {
  // The CDK accepts no placeholder here.
  const target = { account: '000000000000', region: 'xx-placeholder-1' };
  const stack = new Stack(new App(), 'Policy', { env: target });
  const fleet: Fleet = { stack, cluster };
  const roleArns = [`arn:${partition}:iam::${account}:role/${nodeRole}`];
  const rights: readonly Right[] = [
    describeEc2(fleet),
    checkInstances(fleet),
    launchInstances(fleet),
    nameInstances(fleet),
    endInstances(fleet),
    findTemplates(fleet),
    removeTemplates(fleet),
    findCluster(fleet),
    resolveClasses(fleet),
    createProfiles(fleet),
    removeProfiles(fleet),
    passNodeRoles(roleArns, ['eks.amazonaws.com']),
    createNodeAccess(fleet, roleArns),
  ];
  const statements = [...rights.flatMap((right) => right.statements), findStack()];
  // A managed policy has at most 6,144 characters.
  const resolved: unknown = stack.resolve(new PolicyDocument({ statements, minimize: true }));
  return JSON.parse(
    JSON.stringify(joinTokens(resolved))
      .replaceAll(target.account, account)
      .replaceAll(target.region, region),
  );
}

/**
 * A controller asks first whether the cluster has a stack. The construct `Mortise` may be in a stack of
 * any name, and CloudFormation lists all stacks or none.
 */
const findStack = (): PolicyStatement =>
  new PolicyStatement({ actions: ['cloudformation:DescribeStacks'], resources: ['*'] });

/** The partition is a reference within a join. */
function joinTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(joinTokens);
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value && value.Ref === 'AWS::Partition') return partition;
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    const join: readonly unknown[] = value['Fn::Join'];
    const [separator, parts] = join;
    if (Array.isArray(parts)) return parts.map(joinTokens).join(String(separator));
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, joinTokens(inner)]));
}
