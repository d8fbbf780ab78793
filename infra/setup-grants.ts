import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { clusterArn } from './cluster-arn.ts';
import type { ClusterSetup } from './constructs/cluster-setup.ts';
import type { EventIntake } from './constructs/event-intake.ts';
import type { HandlerFunction } from './constructs/handler-function.ts';
import type { PollSource } from './constructs/poll-source.ts';
import type { WebhookControl } from './constructs/webhook-control.ts';
import type { Foundation } from './foundation.ts';
import { allow } from './rights/allow.ts';
import { describing } from './rights/fleet.ts';
import { removeProfiles } from './rights/node-classes.ts';
import { removeNodeRole } from './rights/node-role.ts';

/**
 * Cluster-setup may end its own rights as an administrator of the cluster, and not obtain them
 * again. With the stack, it deletes instance profiles and the node role, unless an instance uses them.
 */
export function grantSetup(
  foundation: Foundation,
  { fn, access }: ClusterSetup,
  intake: EventIntake | undefined,
): void {
  const { stack, options, nodeRole } = foundation;
  const fleet = { stack, cluster: options.cluster };
  grantHooks(foundation, fn, intake);
  allow([fn], {
    statements: [
      may(clusterArn(fleet), 'eks:DescribeCluster'),
      may(access.attrAccessEntryArn, 'eks:ListAssociatedAccessPolicies', 'eks:DisassociateAccessPolicy'),
    ],
  });
  allow([fn], describing(fleet, ['ec2:DescribeInstances']), removeProfiles(fleet));
  if (nodeRole) allow([fn], removeNodeRole(nodeRole));
}

/** Has the cluster set up again if its record was lost. */
export function grantWebhookControl(
  foundation: Foundation,
  fn: HandlerFunction,
  { intake, setup }: { readonly intake: EventIntake | undefined; readonly setup: ClusterSetup },
): void {
  grantHooks(foundation, fn, intake);
  allow([fn], {
    statements: [may(setup.fn.functionArn, 'lambda:InvokeFunction')],
  });
}

/** The record of the installation, the token, and the digests that the intake compares with. */
function grantHooks({ table }: Foundation, fn: HandlerFunction, intake: EventIntake | undefined): void {
  table.grant(fn, 'dynamodb:GetItem', 'dynamodb:PutItem');
  if (!intake) return;
  allow([fn], {
    statements: [
      may(
        intake.token.secretArn,
        'secretsmanager:GetSecretValue',
        'secretsmanager:PutSecretValue',
        'secretsmanager:UpdateSecretVersionStage',
      ),
      may(intake.fn.functionArn, 'lambda:GetFunctionConfiguration', 'lambda:UpdateFunctionConfiguration'),
    ],
  });
}

const may = (resource: string, ...actions: readonly string[]): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [resource] });

interface GuardedParts {
  readonly intake: EventIntake | undefined;
  readonly poll: PollSource;
  readonly control: WebhookControl;
}

/**
 * The sweep watches the cost of the webhooks, has them removed, and starts the poll loop instead.
 */
export function letSweepGuard(sweep: HandlerFunction, { intake, poll, control }: GuardedParts): void {
  sweep.addEnvironment('POLL_QUEUE', poll.queue.queueUrl);
  sweep.addEnvironment('WEBHOOK_CONTROL_FUNCTION', control.fn.functionName);
  poll.queue.grant(sweep, 'sqs:SendMessage');
  allow([sweep], {
    statements: [
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [control.fn.functionArn],
      }),
    ],
  });
  if (!intake) return;
  sweep.addEnvironment('INTAKE_FUNCTION', intake.fn.functionName);
  allow([sweep], {
    statements: [new PolicyStatement({ actions: ['cloudwatch:GetMetricStatistics'], resources: ['*'] })],
    wildcardReason: 'CloudWatch shows metrics of the account or none: no resource can be named.',
  });
}

/** The account's quota and what of it is reserved. */
export function grantDeployCheck(fn: HandlerFunction): void {
  allow([fn], {
    statements: [may('*', 'lambda:GetAccountSettings')],
    wildcardReason: 'The settings are those of the whole account: no resource can be named.',
  });
}
