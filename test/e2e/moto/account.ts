import { join } from 'node:path';
import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  EC2Client,
  type ResourceType,
  type TagSpecification,
} from '@aws-sdk/client-ec2';
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { SSMClient } from '@aws-sdk/client-ssm';
import { createEc2Proxy } from '../lab/aws/ec2-proxy.ts';
import { CREDENTIALS, type Emulator, REGION } from '../lab/aws/emulators.ts';
import { freePort } from '../lab/free-port.ts';
import type { Programs } from '../lab/programs.ts';
import { REPOSITORY } from '../lab/repository.ts';
import { type FaultyEc2, startFaultyEc2 } from './faulty-ec2.ts';
import { startImageParameters } from './image-parameters.ts';

export const CLUSTER = 'demo';
export const NODE_ROLE = 'nodes';
/** The tag that the NodeClasses of the run select by. */
export const DISCOVERY = { Key: 'karpenter.sh/discovery', Value: CLUSTER };
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;

/** An emulated AWS account with a network and a role for nodes. */
export interface Account {
  /** The client that our adapters use, with injected faults. */
  readonly ec2: EC2Client;
  readonly iam: IAMClient;
  readonly ssm: SSMClient;
  readonly faulty: FaultyEc2;
  /** A client that bypasses the proxies. */
  readonly truth: EC2Client;
  /** Makes EC2 report insufficient capacity for the offerings that match. */
  exhaust(isUnavailable: (offering: string) => boolean): void;
  end(): Promise<void>;
}

export async function startAccount(
  parts: { readonly programs: Programs; readonly tools: string; readonly folder: string },
  now: () => number,
): Promise<Account> {
  const moto = await startQuickMoto(parts, await freePort());
  const proxy = createEc2Proxy(moto.url);
  const faulty = await startFaultyEc2(proxy.forward, now);
  const truth = new EC2Client(at(moto.url));
  const iam = new IAMClient(at(moto.url));
  await createNetwork(truth);
  await createRole(iam);
  const parameters = await startImageParameters(truth);
  return {
    // Configured as in a function, but with fewer retries.
    ec2: new EC2Client({ ...at(faulty.url), maxAttempts: 2 }),
    iam,
    ssm: new SSMClient(at(`http://127.0.0.1:${parameters.port}`)),
    faulty,
    truth,
    exhaust: proxy.exhaust,
    async end() {
      for (const listening of [faulty, parameters]) await listening.end();
    },
  };
}

const at = (endpoint: string) => ({
  endpoint,
  region: REGION,
  credentials: {
    accessKeyId: CREDENTIALS.AWS_ACCESS_KEY_ID,
    secretAccessKey: CREDENTIALS.AWS_SECRET_ACCESS_KEY,
  },
});

/** Creates one subnet per zone, each smaller than the one before. */
async function createNetwork(ec2: EC2Client): Promise<void> {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const VpcId = Vpc?.VpcId;
  for (const [index, AvailabilityZone] of ZONES.entries()) {
    const CidrBlock = `10.0.${index * 32}.0/${20 + index}`;
    const TagSpecifications = discoverable('subnet');
    await ec2.send(new CreateSubnetCommand({ VpcId, AvailabilityZone, CidrBlock, TagSpecifications }));
  }
  await ec2.send(
    new CreateSecurityGroupCommand({
      VpcId,
      GroupName: 'nodes',
      Description: 'nodes',
      TagSpecifications: discoverable('security-group'),
    }),
  );
}

const discoverable = (ResourceType: ResourceType): TagSpecification[] => [{ ResourceType, Tags: [DISCOVERY] }];

async function createRole(iam: IAMClient): Promise<void> {
  const AssumeRolePolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'ec2.amazonaws.com' } }],
  });
  await iam.send(new CreateRoleCommand({ RoleName: NODE_ROLE, AssumeRolePolicyDocument }));
}

/** Starts an emulator of EC2 and IAM that is fast enough for a thousand instances. */
async function startQuickMoto(
  { programs, tools }: { readonly programs: Programs; readonly tools: string },
  port: number,
): Promise<Emulator> {
  const url = `http://127.0.0.1:${port}`;
  const program = programs.start({
    name: 'moto',
    command: join(tools, 'python3'),
    args: [join(REPOSITORY, 'test/e2e/moto/serve_moto.py'), '-H', '127.0.0.1', '-p', `${port}`],
    environment: CREDENTIALS,
  });
  await programs.ready(program, () => fetch(`${url}/moto-api/`));
  return { url, port };
}
