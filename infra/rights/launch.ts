import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Right } from './allow.ts';
import { ec2Arn, type Fleet, owned, publicArn, sharedArn, tagged } from './fleet.ts';

const LAUNCHES = ['ec2:CreateFleet', 'ec2:RunInstances'];
const GIVEN = ['security-group', 'subnet', 'capacity-reservation', 'placement-group'] as const;
const CREATED = ['fleet', 'instance', 'volume', 'network-interface'] as const;

/** Allows dry runs of on-demand launches with the cluster's tags. They create a launch template. */
export const dryRunLaunches = (fleet: Fleet): Right => launchWhat(fleet, CREATED);

/** Allows launching instances with the cluster's tags, and none without them. */
export const launchInstances = (fleet: Fleet): Right => launchWhat(fleet, [...CREATED, 'spot-instances-request']);

/**
 * CreateFleet calls RunInstances with the caller's rights. Both have one list of resources, as in
 * Karpenter's policy, although AWS documents fewer of them for each.
 */
function launchWhat(fleet: Fleet, kinds: readonly string[]): Right {
  const created = kinds.map((kind) => ec2Arn(fleet, kind));
  const template = ec2Arn(fleet, 'launch-template');
  const statements = [
    new PolicyStatement({
      actions: LAUNCHES,
      resources: [
        publicArn(fleet, 'image'),
        publicArn(fleet, 'snapshot'),
        ...GIVEN.map((kind) => sharedArn(fleet, kind)),
      ],
    }),
    new PolicyStatement({
      actions: LAUNCHES,
      resources: [template],
      conditions: owned(fleet),
    }),
    new PolicyStatement({
      actions: LAUNCHES,
      resources: created,
      conditions: tagged(fleet),
    }),
    new PolicyStatement({
      actions: ['ec2:CreateLaunchTemplate'],
      resources: [template],
      conditions: tagged(fleet),
    }),
    new PolicyStatement({
      actions: ['ec2:CreateTags'],
      resources: [...created, template],
      conditions: {
        ...tagged(fleet),
        StringEquals: {
          ...tagged(fleet).StringEquals,
          'ec2:CreateAction': ['CreateFleet', 'RunInstances', 'CreateLaunchTemplate'],
        },
      },
    }),
  ];
  const wildcardReason = 'A launch creates what has no name yet: tags in the conditions say whose it must be.';
  return { statements, wildcardReason };
}

/** EC2 does this with a key for its caller, and creates a grant for the instance. */
const VOLUME_KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
] as const;

/**
 * Allows launches with volumes that these keys encrypt, and no other use of the keys.
 *
 * @see docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html, "Permissions for IAM users"
 */
export function encryptVolumes({ stack }: Fleet, keyArns: readonly string[]): Right {
  const through = { 'kms:ViaService': `ec2.${stack.region}.${stack.urlSuffix}` };
  return {
    statements: [
      new PolicyStatement({
        actions: [...VOLUME_KEY_ACTIONS],
        resources: [...keyArns],
        conditions: { StringEquals: through },
      }),
      new PolicyStatement({
        actions: ['kms:CreateGrant'],
        resources: [...keyArns],
        conditions: { StringEquals: through, Bool: { 'kms:GrantIsForAWSResource': 'true' } },
      }),
    ],
  };
}

/**
 * Allows passing exactly these roles to instances, whatever an EC2NodeClass says.
 *
 * @param services - that may get the roles besides EC2
 */
export const passNodeRoles = (roleArns: readonly string[], services: readonly string[] = []): Right => ({
  statements: [
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [...roleArns],
      conditions: {
        StringEquals: {
          'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn', ...services],
        },
      },
    }),
  ],
});
