import { Aspects, CfnResource, type IAspect } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { MortiseOptions } from '../options/options.ts';

/** Gives every role below a construct the permissions boundary and the path of the options. */
export function restrictRoles(
  scope: Construct,
  { permissionsBoundary, rolePath }: Pick<MortiseOptions, 'permissionsBoundary' | 'rolePath'>,
): void {
  if (permissionsBoundary !== undefined) {
    const policy = ManagedPolicy.fromManagedPolicyArn(scope, 'Boundary', permissionsBoundary);
    PermissionsBoundary.of(scope).apply(policy);
  }
  if (rolePath !== undefined) Aspects.of(scope).add(moveRolesTo(rolePath));
}

/** Covers the roles that the CDK itself adds as well. */
const moveRolesTo = (path: string): IAspect => ({
  visit(node) {
    if (!(node instanceof CfnResource) || node.cfnResourceType !== 'AWS::IAM::Role') return;
    node.addPropertyOverride('Path', path);
  },
});
