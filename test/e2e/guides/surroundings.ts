import { CreateTagsCommand, DescribeSecurityGroupsCommand } from '@aws-sdk/client-ec2';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { groupNode, NODE_STATUS } from '../console/objects.ts';
import { ACCOUNT, REGION } from '../lab/aws/emulators.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { findSubnets } from '../packages/doctor-breakages.ts';
import { findInterruptionQueue } from '../packages/lab-objects.ts';

/** The cluster of a guide's reader, and the other autoscaler in it. */
export interface Surroundings {
  setUp(): Promise<void>;
  /** Changes the cluster after a command. */
  reactTo?(line: string): Promise<void>;
  /** @throws Error - the guide did not keep what it must keep */
  check(): Promise<void>;
  end(): Promise<void>;
}

const NODE_GROUP = ['ip-10-0-0-1', 'ip-10-0-0-2'] as const;

/** Tags that EKS, eksctl and the CDK add to subnets and to the security group of the cluster. */
export async function tagNetwork(lab: Lab): Promise<void> {
  const { ec2 } = lab.cloud;
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({}));
  const tag = (resources: readonly string[], Key: string, Value: string) =>
    ec2.send(new CreateTagsCommand({ Resources: [...resources], Tags: [{ Key, Value }] }));
  await tag(await findSubnets(lab), 'kubernetes.io/role/internal-elb', '1');
  await tag([SecurityGroups[0]?.GroupId ?? ''], 'aws:eks:cluster-name', CLUSTER);
}

/** A managed node group of two nodes, which no autoscaler of the lab scales. */
export async function addNodeGroup({ kubectl, kube, nodes }: Lab): Promise<void> {
  for (const [index, name] of NODE_GROUP.entries()) {
    await kubectl(['apply', '-f', '-'], groupNode(name, index + 1));
    await kube.patch(`/api/v1/nodes/${name}/status`, NODE_STATUS);
    nodes.serve(name);
  }
}

/** A Deployment whose pods the simulated kubelets run. */
export const deploymentOf = (
  name: string,
  replicas: number,
  { namespace = 'default', labels = { app: name }, cpu = '100m', spec = {} }: DeploymentParts = {},
): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace, labels },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'main', resources: { requests: { cpu, memory: '70Mi' } } }],
        ...spec,
      },
    },
  },
});

interface DeploymentParts {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly cpu?: string;
  readonly spec?: object;
}

/** Sends the events of terminated instances as EC2 does; only AWS may send them to EventBridge. */
export function announceTerminations({ cloud, ec2, say }: Lab): void {
  const announced = new Set<string>();
  const announce = async (instance: string): Promise<void> => {
    const MessageBody = JSON.stringify(terminationOf(instance));
    const QueueUrl = await findInterruptionQueue(cloud);
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
  ec2.onChange(() => {
    for (const instance of ec2.terminations.keys()) {
      if (announced.has(instance)) continue;
      announced.add(instance);
      announce(instance).catch((error: unknown) => say(`no event for ${instance}: ${error}`));
    }
  });
}

const terminationOf = (instance: string): object => ({
  version: '0',
  id: crypto.randomUUID(),
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  account: ACCOUNT,
  time: new Date().toISOString(),
  region: REGION,
  resources: [`arn:aws:ec2:${REGION}:${ACCOUNT}:instance/${instance}`],
  detail: { 'instance-id': instance, state: 'shutting-down' },
});
