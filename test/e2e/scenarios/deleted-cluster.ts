import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  paginateDescribeInstances,
} from '@aws-sdk/client-ec2';
import { CreateInstanceProfileCommand, ListInstanceProfilesCommand } from '@aws-sdk/client-iam';
import { DELETED_AFTER_MINUTES } from '../lab/aws/deploy.ts';
import { runInstance } from '../lab/aws/run-instance.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect, type Scenario } from '../scenario.ts';

const MINUTE_MS = 60_000;
/** Two sweeps. */
const OUTAGE_MS = 2 * MINUTE_MS;
const ANOTHER_CLUSTER = 'another';

export const deletedCluster: Scenario = {
  name: 'an outage ends nothing; a deleted cluster has everything of ours ended, and nothing else',
  id: 'cluster-gone',
  isOnce: true,
  async run(lab, world) {
    await world.pool();
    await world.deployment('web', 3, { cpu: '1500m' });
    await world.waitForRunning(3);
    const foreign = await createForeignResources(lab);
    const ours = (await listResources(lab)).filter((one) => !foreign.includes(one));
    const kinds = new Set(ours.map((one) => one.split(' ')[0]));
    expect(kinds.size === 3, `only ${[...kinds].join()} exist before the deletion`);

    await lab.controlPlane.stopApiServer();
    await sleep(OUTAGE_MS);
    await expectAll(lab, [...ours, ...foreign], 'during an outage of the API server');
    lab.eks.answer('denied');
    await sleep(OUTAGE_MS);
    await expectAll(lab, [...ours, ...foreign], 'while EKS denied every request');

    lab.eks.answer('deleted');
    const deletedAt = Date.now();
    const end = await waitForEnd(lab, ours, deletedAt);
    await expectAll(lab, foreign, 'after the end of the cluster');
    const report = (await lab.logs(deletedAt)).find(({ text }) => text.includes('cluster-deleted'));
    expect(report !== undefined, 'the end was not reported');

    lab.eks.answer('usual');
    await lab.controlPlane.startApiServer();
    return { ours: ours.length, foreign: foreign.length, ...end };
  },
};

/** Instances, launch templates and instance profiles of the account, each as `kind id`. */
async function listResources({ cloud: { ec2, iam } }: Lab): Promise<readonly string[]> {
  const instances: string[] = [];
  const Filters = [{ Name: 'instance-state-name', Values: ['pending', 'running', 'stopped'] }];
  for await (const { Reservations = [] } of paginateDescribeInstances({ client: ec2 }, { Filters })) {
    const all = Reservations.flatMap(({ Instances = [] }) => Instances);
    instances.push(...all.map(({ InstanceId }) => `instance ${InstanceId}`));
  }
  const [{ LaunchTemplates = [] }, { InstanceProfiles = [] }] = await Promise.all([
    ec2.send(new DescribeLaunchTemplatesCommand({})),
    iam.send(new ListInstanceProfilesCommand({})),
  ]);
  return [
    ...instances,
    ...LaunchTemplates.map(({ LaunchTemplateName }) => `template ${LaunchTemplateName}`),
    ...InstanceProfiles.map(({ InstanceProfileName }) => `profile ${InstanceProfileName}`),
  ];
}

/** Resources that look like ours, and some that do not. */
async function createForeignResources(lab: Lab): Promise<readonly string[]> {
  const { ec2, iam } = lab.cloud;
  const before = await listResources(lab);
  const launched = { 'mortise.sh/launch': 'l-1', 'karpenter.sh/nodepool': 'general' };
  await runInstance(lab.cloud, { instanceType: 'm5.large', tags: { Name: 'database' } });
  await runInstance(lab.cloud, {
    instanceType: 'm5.large',
    tags: { ...launched, 'eks:eks-cluster-name': ANOTHER_CLUSTER },
  });
  // A managed node group of the same cluster: EKS ends it with the cluster.
  await runInstance(lab.cloud, {
    instanceType: 'm5.large',
    tags: { 'eks:eks-cluster-name': CLUSTER, 'eks:nodegroup-name': 'system' },
  });
  for (const [name, cluster] of [
    ['karpenter.k8s.aws/another', ANOTHER_CLUSTER],
    ['eks-nodegroup', CLUSTER],
  ]) {
    await ec2.send(
      new CreateLaunchTemplateCommand({
        LaunchTemplateName: name,
        LaunchTemplateData: { InstanceType: 'm5.large' },
        TagSpecifications: [
          {
            ResourceType: 'launch-template',
            Tags: [{ Key: 'eks:eks-cluster-name', Value: cluster }],
          },
        ],
      }),
    );
  }
  for (const [InstanceProfileName, Path] of [
    ['another-nodes', `/karpenter/us-east-1/${ANOTHER_CLUSTER}/u-1/`],
    ['lab-elsewhere', `/karpenter/eu-west-1/${CLUSTER}/u-1/`],
    ['lab-longer-name', `/karpenter/us-east-1/${CLUSTER}-2/u-1/`],
    ['nodes', '/'],
  ]) {
    await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName, Path }));
  }
  return (await listResources(lab)).filter((one) => !before.includes(one));
}

async function expectAll(lab: Lab, expected: readonly string[], when: string): Promise<void> {
  const listed = new Set(await listResources(lab));
  const missing = expected.filter((one) => !listed.has(one));
  expect(missing.length === 0, `${missing.join(', ')} ended ${when}`);
}

/** Waits until nothing of ours exists, and checks that nothing ended too early. */
async function waitForEnd(lab: Lab, ours: readonly string[], deletedAt: number) {
  let firstEndMs: number | undefined;
  let remaining = ours;
  const ended = waitUntil(
    'the end of everything of ours',
    async () => {
      const listed = new Set(await listResources(lab));
      remaining = ours.filter((one) => listed.has(one));
      if (remaining.length < ours.length) firstEndMs ??= Date.now() - deletedAt;
      return remaining.length === 0;
    },
    { timeoutMs: (DELETED_AFTER_MINUTES + 5) * MINUTE_MS, everyMs: 2_000 },
  );
  await ended.catch((cause: unknown) => {
    throw new Error(`${remaining.join(', ')} did not end`, { cause });
  });
  expect(
    firstEndMs !== undefined && firstEndMs >= DELETED_AFTER_MINUTES * MINUTE_MS,
    `the first part ended ${firstEndMs} ms after the deletion`,
  );
  return { firstEndMs, lastEndMs: Date.now() - deletedAt };
}
