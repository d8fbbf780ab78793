import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { NodeRole } from '../constructs/node-role.ts';
import type { Right } from './allow.ts';

/** Allows deleting the stack's own node role and its access entry, and no others. */
export const removeNodeRole = ({ roleArn, entry }: NodeRole): Right => ({
  statements: [
    new PolicyStatement({
      actions: [
        'iam:ListInstanceProfilesForRole',
        'iam:ListAttachedRolePolicies',
        'iam:ListRolePolicies',
        'iam:DetachRolePolicy',
        'iam:DeleteRolePolicy',
        'iam:DeleteRole',
      ],
      resources: [roleArn],
    }),
    new PolicyStatement({
      actions: ['eks:DeleteAccessEntry'],
      resources: [entry.attrAccessEntryArn],
    }),
  ],
});
