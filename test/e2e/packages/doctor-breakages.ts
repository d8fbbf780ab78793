import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTagsCommand, DeleteTagsCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { CreateAccessEntryCommand, DeleteAccessEntryCommand } from '@aws-sdk/client-eks';
import { CreateRoleCommand, GetRoleCommand } from '@aws-sdk/client-iam';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { DISCOVERY_TAG } from '../lab/aws/account.ts';
import { intakeUrl } from '../lab/aws/deploy.ts';
import { sendHints } from '../lab/aws/send-hints.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { expect } from '../scenario.ts';
import { findInterruptionQueue, nodeClassFor } from './lab-objects.ts';

/** A check of `mortise doctor` that is not ok. */
export interface Finding {
  readonly id: string;
  readonly status: string;
  readonly evidence: string;
  readonly fix: string;
}

/** The commands that deploy and remove the stack. */
export interface Deploy {
  /** @returns the role of the nodes */
  create(): Promise<string>;
  destroy(...flags: readonly string[]): Promise<void>;
  /** Removes the nodes, the CRDs and the stack. */
  remove(): Promise<void>;
}

/** One thing that is broken, and what doctor must say about it. */
interface Breakage {
  readonly title: string;
  breakIt(): Promise<unknown>;
  readonly expected: {
    readonly id: string;
    readonly status: 'fail' | 'warn';
    readonly evidence: RegExp;
    /** A part of the fix. */
    readonly fix: string;
  };
  /** Follows the fix. */
  repair(fix: string): Promise<unknown>;
}

interface BreakageContext {
  /** The role of the nodes. */
  readonly role: string;
  /** Ids of the subnets that the EC2NodeClass selects. */
  readonly subnets: readonly string[];
  readonly deploy: Deploy;
}

const HOOKS = 'validatingwebhookconfiguration/mortise';
const OVERLAYS = 'nodeoverlays.karpenter.sh';
/** The resolution of an EC2NodeClass is used again for a minute. */
const RESOLUTION_REUSED_MS = MINUTE_MS + SECOND_MS;
const SPOT_ROLE = 'AWSServiceRoleForEC2Spot';

export function breakagesOf(lab: Lab, { role, subnets, deploy }: BreakageContext): readonly Breakage[] {
  const { cloud, kubectl, rights } = lab;
  const invoke = (fix: string): Promise<void> => followInvoke(lab, fix);
  const resolveClass = async (): Promise<void> => {
    await sleep(RESOLUTION_REUSED_MS);
    await sendHints(cloud, [{ topic: 'class' }]);
  };

  return [
    {
      title: 'the account has no service-linked role for spot',
      breakIt: async () => undefined,
      expected: {
        id: 'account/spot-role',
        status: 'warn',
        evidence: /^no AWSServiceRoleForEC2Spot: spot instances cannot be launched$/,
        fix: 'aws iam create-service-linked-role --aws-service-name spot.amazonaws.com',
      },
      // The emulator would give the service-linked role another name.
      repair: () =>
        cloud.iam.send(
          new CreateRoleCommand({
            RoleName: SPOT_ROLE,
            AssumeRolePolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [] }),
          }),
        ),
    },
    {
      title: 'the role of the nodes has no access entry',
      breakIt: async () =>
        cloud.eks.send(
          new DeleteAccessEntryCommand({
            clusterName: CLUSTER,
            principalArn: await arnOf(lab, role),
          }),
        ),
      expected: {
        id: 'nodes/access-entry',
        status: 'fail',
        evidence: new RegExp(`^no access entry for role ${role}: nodes of EC2NodeClass default`),
        fix: `aws eks create-access-entry --cluster-name ${CLUSTER} --type EC2_LINUX`,
      },
      repair: async (fix) => {
        const flags = flagsOf(fix);
        const [clusterName, type] = [flags.get('cluster-name'), flags.get('type')];
        const principalArn = flags.get('principal-arn');
        await cloud.eks.send(new CreateAccessEntryCommand({ clusterName, type, principalArn }));
      },
    },
    {
      title: 'the subnets have lost the tag of the selector',
      breakIt: async () => {
        const Tags = [{ Key: DISCOVERY_TAG }];
        await cloud.ec2.send(new DeleteTagsCommand({ Resources: [...subnets], Tags }));
        await resolveClass();
      },
      expected: {
        id: 'nodes/classes',
        status: 'fail',
        evidence: /^EC2NodeClass default: SubnetsReady: no subnet has .* .spec\.subnetSelectorTerms.$/,
        fix: 'aws ec2 create-tags with the tags of spec.subnetSelectorTerms',
      },
      repair: async () => {
        const Tags = [{ Key: DISCOVERY_TAG, Value: CLUSTER }];
        await cloud.ec2.send(new CreateTagsCommand({ Resources: [...subnets], Tags }));
        await resolveClass();
      },
    },
    {
      title: 'an EC2NodeClass names a role that does not exist',
      breakIt: async () => {
        // The stack passes its own roles only.
        rights.expect(/^NodeClass: iam:PassRole on \S+:role\/Nobody:/);
        await kubectl(['apply', '-f', '-'], misnamedClass('Nobody'));
      },
      expected: {
        id: 'nodes/access-entry',
        status: 'fail',
        evidence: /^no IAM role Nobody, which EC2NodeClass misnamed names$/,
        fix: 'correct spec.role',
      },
      repair: async () => {
        await kubectl(['apply', '-f', '-'], misnamedClass(role));
        await resolveClass();
      },
    },
    {
      title: 'the webhooks call another address',
      breakIt: () => kubectl(['patch', HOOKS, '--type=json', '-p', JSON.stringify(ELSEWHERE)]),
      expected: {
        id: 'hook/placed',
        status: 'fail',
        evidence: /^the webhook \S+ calls https:\/\/127\.0\.0\.1:1\/h\/other\/, not https:\/\//,
        fix: 'aws lambda invoke',
      },
      repair: invoke,
    },
    {
      title: 'the webhooks were deleted',
      breakIt: () => kubectl(['delete', HOOKS]),
      expected: {
        id: 'hook/placed',
        status: 'fail',
        evidence: /^the webhook configuration mortise is missing$/,
        fix: 'aws lambda invoke',
      },
      repair: invoke,
    },
    {
      title: 'a CRD was deleted',
      breakIt: () => kubectl(['delete', 'crd', OVERLAYS]),
      expected: {
        id: 'cluster/crds',
        status: 'fail',
        evidence: /^nodeoverlays\.karpenter\.sh is not installed$/,
        fix: 'aws lambda invoke',
      },
      repair: invoke,
    },
    {
      title: 'Helm owns a CRD',
      breakIt: () => kubectl(['annotate', 'crd', OVERLAYS, 'meta.helm.sh/release-name=karpenter']),
      expected: {
        id: 'cluster/crds',
        status: 'warn',
        evidence: /^nodeoverlays\.karpenter\.sh is kept by Helm$/,
        fix: 'upgrade it with Helm when you upgrade Mortise',
      },
      repair: () => kubectl(['annotate', 'crd', OVERLAYS, 'meta.helm.sh/release-name-']),
    },
    {
      title: 'the clock of this machine is slow',
      breakIt: async () => lab.eks.shiftClock(10 * MINUTE_MS),
      expected: {
        id: 'cluster/clock',
        status: 'warn',
        evidence: /^this clock differs from AWS by 10 min$/,
        fix: 'set the clock',
      },
      repair: async () => lab.eks.shiftClock(0),
    },
    {
      title: 'a queue of the stack was deleted',
      breakIt: async () => {
        const QueueUrl = await findInterruptionQueue(cloud);
        await cloud.sqs.send(new DeleteQueueCommand({ QueueUrl }));
      },
      expected: {
        id: 'queue/exists',
        status: 'fail',
        evidence: /^the queue QueuesInterruption\w+ of the stack was deleted$/,
        fix: `mortise destroy --cluster ${CLUSTER} --keep-nodes, then mortise deploy`,
      },
      repair: async () => {
        await deploy.destroy('--keep-nodes');
        // The new stack has another function URL.
        lab.hooks.find(() => intakeUrl(cloud));
        await deploy.create();
      },
    },
  ];
}

/** Five webhooks have five addresses. */
const ELSEWHERE = Array.from({ length: 5 }, (_, index) => ({
  op: 'replace',
  path: `/webhooks/${index}/clientConfig/url`,
  value: 'https://127.0.0.1:1/h/other/token',
}));

const misnamedClass = (role: string): object => ({
  ...nodeClassFor(CLUSTER, role),
  metadata: { name: 'misnamed' },
});

/** Returns the ids of the subnets that the selector of the EC2NodeClass matches. */
export async function findSubnets({ cloud }: Lab): Promise<readonly string[]> {
  const Filters = [{ Name: `tag:${DISCOVERY_TAG}`, Values: [CLUSTER] }];
  const { Subnets = [] } = await cloud.ec2.send(new DescribeSubnetsCommand({ Filters }));
  return Subnets.map(({ SubnetId = '' }) => SubnetId);
}

async function arnOf({ cloud }: Lab, RoleName: string): Promise<string> {
  const { Role } = await cloud.iam.send(new GetRoleCommand({ RoleName }));
  return Role?.Arn ?? '';
}

/** The flags of a command line of the AWS CLI. */
const flagsOf = (command: string): ReadonlyMap<string, string> =>
  new Map(
    [...command.matchAll(/--([a-z-]+) (?:'([^']*)'|(\S+))/g)].map(([, name = '', quoted, plain = '']) => [
      name,
      quoted ?? plain,
    ]),
  );

/** Makes the call that `aws lambda invoke` makes; the lab does not have the AWS CLI. */
async function followInvoke({ cloud }: Lab, fix: string): Promise<void> {
  const flags = flagsOf(fix);
  const { FunctionError, Payload } = await cloud.lambda.send(
    new InvokeCommand({
      FunctionName: flags.get('function-name'),
      Payload: Buffer.from(flags.get('payload') ?? ''),
    }),
  );
  expect(FunctionError === undefined, `${fix}: ${Buffer.from(Payload ?? []).toString()}`);
}
