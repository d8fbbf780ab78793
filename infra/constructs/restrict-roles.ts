import { Aspects, CfnResource, type IAspect, type Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { MortiseOptions } from '../options/options.ts';

/** Gives every role of the stack the permissions boundary and the path of the options. */
export function restrictRoles(
  stack: Stack,
  { permissionsBoundary, rolePath }: Pick<MortiseOptions, 'permissionsBoundary' | 'rolePath'>,
): void {
  if (permissionsBoundary !== undefined) {
    const policy = ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', permissionsBoundary);
    PermissionsBoundary.of(stack).apply(policy);
  }
  if (rolePath !== undefined) Aspects.of(stack).add(moveRolesTo(rolePath));
}

/** Covers the roles that the CDK itself adds as well. */
const moveRolesTo = (path: string): IAspect => ({
  visit(node) {
    if (!(node instanceof CfnResource) || node.cfnResourceType !== 'AWS::IAM::Role') return;
    node.addPropertyOverride('Path', path);
  },
});
