import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { CreateRoleCommand, type IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { stringify } from 'yaml';
import { DISCOVERY_TAG } from '../lab/aws/account.ts';
import { applyCrds } from '../lab/kubernetes/apply-crds.ts';
import { CLUSTER, type Lab, startLab } from '../lab/start-lab.ts';
import {
  CONTROLLER_ROLE,
  defaultNodeClass,
  defaultNodePool,
  karpenterDeployment,
  karpenterServiceAccount,
  NODE_ROLE,
  SYSTEM_NODE,
  securityGroupPolicies,
  systemNode,
  systemNodeStatus,
  TWO_CPUS,
} from './cluster-objects.ts';
import { type RuntimeName, startRuntime } from './runtimes.ts';
import type { Suite } from './suites.ts';

/** Faults in the form of the suites of the core. */
const CONDITIONS = {
  fatal: 'AcceleratedHardwareReady=False/NvidiaXID79Error',
  rebootHelps: 'AcceleratedHardwareReady=False/NvidiaXID46Error',
} as const;

/** A lab in which Mortise stands in the place of Karpenter. */
export interface KarpenterLab {
  readonly lab: Lab;
  /** Flags of the test program of a suite for one spec. */
  flags(suite: Suite, spec: string): readonly string[];
  /** Variables of the suites. */
  readonly environment: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

export async function startKarpenterLab(runtimeName: RuntimeName, say: (line: string) => void): Promise<KarpenterLab> {
  const lab = await startLab(say);
  try {
    await installObjects(lab);
    const runtime = await startRuntime(lab, runtimeName);
    const files = writeDefaults(lab.folder);
    return {
      lab,
      flags: ({ module }, spec) =>
        module === 'core'
          ? [
              `--default-nodeclass=${files.nodeClass}`,
              `--default-nodepool=${/^CapacityBuffer /.test(spec) ? files.smallNodePool : files.nodePool}`,
              `--repair-condition=${CONDITIONS.fatal}`,
              `--reboot-condition=${CONDITIONS.rebootHelps}`,
            ]
          : [],
      environment: runtime.environment,
      async end() {
        await runtime.end();
        await lab.end();
      },
    };
  } catch (error) {
    say(lab.tails());
    await lab.end();
    throw error;
  }
}

async function installObjects({ kubectl, kube, cloud, nodes, senders }: Lab): Promise<void> {
  await applyCrds(kubectl, [securityGroupPolicies]);
  await createNetwork(cloud.ec2);
  await createRole(cloud.iam, NODE_ROLE, 'ec2.amazonaws.com');
  await createRole(cloud.iam, CONTROLLER_ROLE, 'pods.eks.amazonaws.com');
  await cloud.iam.send(
    new PutRolePolicyCommand({
      RoleName: CONTROLLER_ROLE,
      PolicyName: 'everything',
      PolicyDocument: toPolicy({ Effect: 'Allow', Action: '*', Resource: '*' }),
    }),
  );
  senders.actAs('controller', CONTROLLER_ROLE);
  await kubectl(['apply', '-f', '-'], karpenterServiceAccount);
  await kubectl(['apply', '-f', '-'], systemNode);
  await kube.patch(`/api/v1/nodes/${SYSTEM_NODE}/status`, systemNodeStatus());
  nodes.serve(SYSTEM_NODE);
  await kubectl(['apply', '-f', '-'], karpenterDeployment);
}

const toPolicy = (statement: object): string => JSON.stringify({ Version: '2012-10-17', Statement: [statement] });

const createRole = (iam: IAMClient, RoleName: string, Service: string): Promise<unknown> =>
  iam.send(
    new CreateRoleCommand({
      RoleName,
      AssumeRolePolicyDocument: toPolicy({ Effect: 'Allow', Principal: { Service }, Action: 'sts:AssumeRole' }),
    }),
  );

/** As eksctl creates it for Karpenter's own tests: subnets with `Private` in their names, two security groups. */
async function createNetwork(ec2: EC2Client): Promise<void> {
  const Filters = [{ Name: `tag:${DISCOVERY_TAG}`, Values: [CLUSTER] }];
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({ Filters }));
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
  const { GroupId: second } = await ec2.send(
    new CreateSecurityGroupCommand({ GroupName: 'nodes', Description: 'Nodes', VpcId: SecurityGroups[0]?.VpcId }),
  );
  const names = [
    ...Subnets.map(({ SubnetId, AvailabilityZone }) => [SubnetId, `SubnetPrivate-${AvailabilityZone}`]),
    [SecurityGroups[0]?.GroupId, 'ClusterSharedNodeSecurityGroup'],
    [second, 'NodeSecurityGroup'],
  ];
  for (const [id = '', name] of names) {
    const Tags = [
      { Key: 'Name', Value: name },
      { Key: DISCOVERY_TAG, Value: CLUSTER },
    ];
    // oxlint-disable-next-line no-await-in-loop -- the local EC2 answers one request at a time.
    await ec2.send(new CreateTagsCommand({ Resources: [id], Tags }));
  }
}

function writeDefaults(folder: string) {
  const write = (name: string, object: object): string => {
    const path = join(folder, name);
    writeFileSync(path, stringify(object));
    return path;
  };
  return {
    nodeClass: write('default-nodeclass.yaml', defaultNodeClass),
    nodePool: write('default-nodepool.yaml', defaultNodePool()),
    smallNodePool: write('default-nodepool-2-cpus.yaml', defaultNodePool([TWO_CPUS])),
  };
}
