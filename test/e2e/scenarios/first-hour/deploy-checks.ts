import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { CreateAccessEntryCommand, CreateClusterCommand, DeleteClusterCommand } from '@aws-sdk/client-eks';
import {
  CreateInstanceProfileCommand,
  CreateRoleCommand,
  DeleteInstanceProfileCommand,
  DeleteRoleCommand,
} from '@aws-sdk/client-iam';
import { CreateBucketCommand, DeleteBucketCommand } from '@aws-sdk/client-s3';
import { PutParameterCommand } from '@aws-sdk/client-ssm';
import { ACCOUNT, REGION } from '../../lab/aws/emulators.ts';
import { getRequest } from '../../lab/aws/rules/aws-request.ts';
import { LAB_VERSION, minorOf } from '../../lab/kubernetes/control-plane-binary.ts';
import type { Lab } from '../../lab/start-lab.ts';
import { callMortise } from '../../mortise-command.ts';
import { expect, type Scenario } from '../../scenario.ts';

/** A cluster without a stack. */
const CLUSTER = 'second';
const KEY = `arn:aws:kms:${REGION}:${ACCOUNT}:key/0a1b2c3d-1111-4222-8333-444455556666`;
const BOOTSTRAP = '/cdk-bootstrap/hnb659fds/version';

/** One thing that stops or spoils a deployment, and what `mortise deploy` must say before it begins. */
interface Breakage {
  readonly title: string;
  readonly says: RegExp;
  readonly flags?: readonly string[];
  /** 2 unless another one is right. */
  readonly exitCode?: number;
  /** True for a warning: another breakage then stops the deployment. */
  readonly isWarning?: true;
  /** @returns what repairs it */
  prepare?(lab: Lab): Promise<() => unknown>;
}

/** `mortise deploy` with one breakage after the other; none starts the CDK. */
export const deployChecks: Scenario = {
  name: 'mortise deploy names what would stop it, each with its remedy, and begins nothing',
  id: 'deploy-checks',
  async run(lab) {
    const { cloud } = lab;
    const accessConfig = { authenticationMode: 'API_AND_CONFIG_MAP' } as const;
    const cluster = {
      name: CLUSTER,
      version: `1.${minorOf(LAB_VERSION)}`,
      roleArn: `arn:aws:iam::${ACCOUNT}:role/c`,
    };
    await cloud.eks.send(new CreateClusterCommand({ ...cluster, resourcesVpcConfig: {}, accessConfig }));
    try {
      const breakages = await listBreakages(lab);
      for (const breakage of breakages) await check(lab, breakage);
      return { breakages: breakages.length };
    } finally {
      await cloud.eks.send(new DeleteClusterCommand({ name: CLUSTER }));
    }
  },
};

async function check(lab: Lab, breakage: Breakage): Promise<void> {
  const { title, says, flags = [], exitCode = 2, isWarning, prepare } = breakage;
  lab.say(`deploy: ${title}`);
  const repair = await prepare?.(lab);
  const usual = lab.quotas.concurrency;
  if (isWarning) lab.quotas.concurrency = 50;
  try {
    const args = ['deploy', '--cluster', CLUSTER, ...flags];
    const { stderr, ...outcome } = await callMortise(lab, args, { holder: 'administrator' });
    expect(says.test(stderr), `${title}: the sentence is missing:\n${stderr}`);
    expect(outcome.exitCode === exitCode, `${title}: exit ${outcome.exitCode}:\n${stderr}`);
    const lines = stderr.split('\n').filter((line) => line.startsWith('error: '));
    expect(lines.length === 1, `${title}: ${lines.length} errors:\n${stderr}`);
  } finally {
    lab.quotas.concurrency = usual;
    await repair?.();
  }
}

async function listBreakages({ cloud }: Lab): Promise<readonly Breakage[]> {
  const { Subnets: [subnet] = [] } = await cloud.ec2.send(new DescribeSubnetsCommand({}));
  return [
    {
      title: 'the cluster does not exist',
      says: /no EKS cluster third[\s\S]*fix: +check --cluster, --region and --profile/,
      flags: ['--cluster', 'third'],
      exitCode: 5,
    },
    {
      title: 'the cluster is being created',
      says: /the cluster is CREATING: its API server cannot be set up[\s\S]*wait until it is ACTIVE/,
      prepare: describedAs({ status: 'CREATING' }),
    },
    {
      title: 'the cluster is too old',
      says: /Kubernetes 1\.29 is older than 1\.31[\s\S]*upgrade the cluster to 1\.31/,
      prepare: describedAs({ version: '1.29' }),
    },
    {
      title: 'the cluster has no access entries',
      says: /authentication mode CONFIG_MAP[\s\S]*aws eks update-cluster-config --name second/,
      prepare: async ({ eks }) => {
        eks.authenticateBy('CONFIG_MAP');
        return () => eks.authenticateBy('API_AND_CONFIG_MAP');
      },
    },
    {
      title: 'the API server is private, and the functions would be outside',
      says: /private endpoint only, and the functions would be outside its VPC[\s\S]*--set functionSubnets/,
      prepare: describedAs({ resourcesVpcConfig: { endpointPublicAccess: false } }),
    },
    {
      title: 'the bootstrap is too old',
      says: /version 5 of the CDK bootstrap is too old[\s\S]*npx cdk bootstrap/,
      prepare: async ({ cloud: { ssm } }) => {
        const put = (Value: string) =>
          ssm.send(
            new PutParameterCommand({
              ...{ Name: BOOTSTRAP, Value, Type: 'String' },
              Overwrite: true,
            }),
          );
        await put('5');
        return () => put('21');
      },
    },
    {
      title: 'Lambda has no concurrency left',
      says: /50 unreserved concurrent executions: Lambda keeps 100, and the intake reserves 10[\s\S]*L-B99A9384/,
      prepare: async ({ quotas }) => {
        const usual = quotas.concurrency;
        quotas.concurrency = 50;
        return () => {
          quotas.concurrency = usual;
        };
      },
    },
    {
      title: 'the quota of vCPUs is that of a new account',
      says: /warning: the account may run 5 vCPUs: "Running On-Demand Standard.*raise L-1216C47A/,
      isWarning: true,
      prepare: async ({ account }) => {
        account.vcpus = 5;
        return () => {
          account.vcpus = 256;
        };
      },
    },
    {
      title: 'an earlier stack could not be deleted',
      says: /Mortise-second is DELETE_FAILED: it can only be deleted[\s\S]*aws cloudformation delete-stack/,
      prepare: inState('DELETE_FAILED'),
    },
    {
      title: 'CloudFormation still changes the stack',
      says: /Mortise-second is UPDATE_IN_PROGRESS[\s\S]*wait until it has finished/,
      prepare: inState('UPDATE_IN_PROGRESS'),
    },
    {
      title: 'an earlier stack has left its table',
      says: /warning: the table Mortise-second-State1 of an earlier stack remains.*aws dynamodb delete-table/,
      isWarning: true,
      prepare: withTable,
    },
    {
      title: 'an earlier stack has left its node role',
      says: /warning: the node role MortiseNode-second-0a1b2c3d of an earlier stack remains/,
      isWarning: true,
      prepare: withNodeRole,
    },
    {
      title: 'an earlier stack has left its bucket',
      says: /warning: the bucket mortise-second-snapshotbucket1 of an earlier stack remains/,
      isWarning: true,
      prepare: withBucket,
    },
    {
      title: 'an earlier stack has left an instance profile',
      says: /warning: the instance profile second_1 of an earlier stack remains/,
      isWarning: true,
      prepare: withProfile,
    },
    {
      title: 'an earlier stack has left a name that the new one needs',
      says: /warning: the schedule group Mortisesecond-Schedules-Group-1 .*needs its name.*delete-schedule-group/,
      isWarning: true,
      prepare: withScheduleGroup,
    },
    {
      title: 'nodeRoles names a role that does not exist',
      says: /no IAM role Nobody, which nodeRoles names[\s\S]*correct --set nodeRoles/,
      flags: ['--set', 'nodeRoles=Nobody'],
    },
    {
      title: 'the key of the stack is disabled',
      says: /the key arn:aws:kms:\S+ is Disabled[\s\S]*aws kms enable-key/,
      flags: ['--set', `kmsKeyArn=${KEY}`],
      prepare: withKey('Disabled', ''),
    },
    {
      title: 'the policy of the key does not allow the services',
      says: /does not allow events\.amazonaws\.com and logs\.us-east-1\.amazonaws\.com/,
      flags: ['--set', `kmsKeyArn=${KEY}`],
      prepare: withKey('Enabled', '{"Statement":[]}'),
    },
    {
      title: 'the subnets of the functions have no way out',
      says: /leaves through an internet gateway|has no default route, and vpc-\S+ no endpoint of ec2, eks/,
      flags: ['--set', `functionSubnets=${subnet?.SubnetId}`, '--set', 'functionSecurityGroups=sg-1'],
    },
    {
      title: 'a right for a check is missing, which is no error',
      says: /warning: .*not checked: needs kms:DescribeKey|warning: .*servicequotas:GetServiceQuota/,
      isWarning: true,
      prepare: async ({ account }) => {
        account.denied = true;
        return () => {
          account.denied = false;
        };
      },
    },
  ];
}

const describedAs =
  (fields: object) =>
  async ({ eks }: Lab) => {
    eks.describeAs((cluster) => ({ ...cluster, ...fields }));
    return () => eks.describeAs(undefined);
  };

const inState =
  (status: string) =>
  async ({ account: { stacks } }: Lab) => {
    stacks.set(`Mortise-${CLUSTER}`, status);
    return () => stacks.delete(`Mortise-${CLUSTER}`);
  };

const withKey =
  (state: 'Enabled' | 'Disabled', policy: string) =>
  async ({ account: { keys } }: Lab) => {
    keys.set(KEY, { state, policy });
    return () => keys.delete(KEY);
  };

async function withTable({ cloud: { dynamo } }: Lab) {
  const TableName = `Mortise-${CLUSTER}-State1`;
  await dynamo.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  return () => dynamo.send(new DeleteTableCommand({ TableName }));
}

async function withNodeRole({ cloud: { iam, eks } }: Lab) {
  const RoleName = `MortiseNode-${CLUSTER}-0a1b2c3d`;
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [] });
  const { Role } = await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  const entry = { clusterName: CLUSTER, principalArn: Role?.Arn };
  await eks.send(new CreateAccessEntryCommand({ ...entry, type: 'EC2_LINUX' }));
  return () => iam.send(new DeleteRoleCommand({ RoleName }));
}

async function withBucket({ cloud: { s3 } }: Lab) {
  const Bucket = `mortise-${CLUSTER}-snapshotbucket1`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  return () => s3.send(new DeleteBucketCommand({ Bucket }));
}

async function withProfile({ cloud: { iam } }: Lab) {
  const InstanceProfileName = `${CLUSTER}_1`;
  const Path = `/karpenter/${REGION}/${CLUSTER}/`;
  await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName, Path }));
  return () => iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName }));
}

async function withScheduleGroup({ awsEnvironment }: Lab) {
  const path = `/schedule-groups/Mortise${CLUSTER}-Schedules-Group-1`;
  const { authorization } = getRequest('scheduler', path).headers;
  const headers = { authorization: String(authorization) };
  const call = async (method: string, body?: string): Promise<void> => {
    const url = `${awsEnvironment.AWS_ENDPOINT_URL}${path}`;
    const { ok, status } = await fetch(url, { method, headers, ...(body && { body }) });
    expect(ok, `${method} ${path}: ${status}`);
  };
  await call('POST', '{}');
  return () => call('DELETE');
}
