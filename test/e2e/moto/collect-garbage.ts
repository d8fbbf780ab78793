import assert from 'node:assert/strict';
import { CreateLaunchTemplateCommand, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { CreateInstanceProfileCommand, ListInstanceProfilesCommand } from '@aws-sdk/client-iam';
import { reconcileNodeClasses } from '../../../shared/controllers/node-class/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import type { Account } from './account.ts';
import { listTemplates, liveInstances, tagsOf } from './ec2-state.ts';
import type { MotoWorld, Stage } from './world.ts';

const OURS = {
  'kubernetes.io/cluster/demo': 'owned',
  'eks:eks-cluster-name': 'demo',
  'karpenter.sh/nodepool': 'general',
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'mortise.sh/launch': 'lost-0',
};

/**
 * Checks garbage collection: leaked resources are removed, foreign ones stay, and a deleted class
 * takes its own resources along.
 */
export const collectGarbage: Stage = async (world, account) => {
  const leaked = await runInstance(account, OURS);
  const foreign = [
    await runInstance(account, {
      'kubernetes.io/cluster/another': 'owned',
      'karpenter.sh/nodepool': 'general',
      'mortise.sh/launch': 'lost-0',
    }),
    await runInstance(account, { 'kubernetes.io/cluster/demo': 'owned', 'karpenter.sh/nodepool': 'x' }),
  ];
  await sweepTwice(world);
  const live = new Set((await liveInstances(account.truth)).map(({ InstanceId }) => InstanceId));
  assert.ok(!live.has(leaked), 'an instance without a record is still there');
  for (const id of foreign) assert.ok(live.has(id), 'an instance of somebody else is gone');

  const removed = await sweepUnused(world, account);
  const remainingProfiles = await deleteClass(world, account);
  return { leaked: 1, foreign: foreign.length, removed, left: remainingProfiles };
};

async function runInstance({ truth }: Account, tags: Readonly<Record<string, string>>): Promise<string> {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const { Instances: [instance] = [] } = await truth.send(
    new RunInstancesCommand({
      ImageId: 'ami-12c6146b',
      InstanceType: 'm5.large',
      MinCount: 1,
      MaxCount: 1,
      TagSpecifications: [{ ResourceType: 'instance', Tags }],
    }),
  );
  return instance?.InstanceId ?? '';
}

/**
 * The first sweep records that the instance is unexplained; the second one, a minute later,
 * terminates it.
 */
async function sweepTwice({ ports, fake }: MotoWorld): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    fake.now += 2 * MINUTE_MS;
    await sweep(ports);
  }
}

/** Removes launch templates that no launch has used for an hour, and profiles without a class. */
async function sweepUnused(
  { ports, fake }: MotoWorld,
  { truth, iam }: Account,
): Promise<{ readonly templates: number; readonly profiles: number }> {
  await truth.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'made-by-hand',
      LaunchTemplateData: { ImageId: 'ami-12c6146b' },
    }),
  );
  await iam.send(
    new CreateInstanceProfileCommand({
      InstanceProfileName: 'demo_old',
      Path: '/karpenter/us-east-1/demo/class-gone/',
    }),
  );
  const before = { templates: (await listTemplates(truth)).length, profiles: await profiles(iam) };
  fake.now += 3 * HOUR_MS;
  await reconcileNodeClasses(ports);
  // Templates for dry runs are recent, because the classes were just validated again.
  const remainingTemplates = (await listTemplates(truth)).filter(
    ({ Tags }) => tagsOf(Tags)['karpenter.sh/nodepool'] !== 'dry-run',
  );
  const names = remainingTemplates.map(({ LaunchTemplateName }) => LaunchTemplateName);
  const profilesAfter = await profiles(iam);
  assert.deepEqual(names, ['made-by-hand']);
  assert.ok(!profilesAfter.includes('demo_old'));
  return {
    templates: before.templates - 1,
    profiles: before.profiles.length - profilesAfter.length,
  };
}

/**
 * A deleted class waits for its claims; then its profile is removed, and those of other classes
 * stay.
 */
async function deleteClass(
  { ports, classObjects, fake, records }: MotoWorld,
  { iam }: Account,
): Promise<readonly string[]> {
  const object = classObjects.get('bottlerocket');
  assert.ok(object);
  classObjects.set('bottlerocket', { ...object, isDeleting: true });
  await reconcileNodeClasses(ports);
  assert.ok(classObjects.has('bottlerocket'), 'it went before its claim');

  const stored = await ports.nodeClaims.find('br-1');
  assert.ok(stored);
  await ports.nodeClaims.save({ ...stored.claim, terminatedAt: fake.now }, stored.version);
  await ports.cloud.terminate(stored.claim.launch?.providerId ?? '');
  await reconcileNodeClasses(ports);
  assert.ok(!classObjects.has('bottlerocket'), 'it stays without any claim');
  assert.equal(await records.nodeClasses.find('bottlerocket'), undefined);
  const remainingProfiles = await profiles(iam);
  assert.equal(remainingProfiles.length, 2 + 4, `${remainingProfiles}`);
  return remainingProfiles;
}

async function profiles(iam: Account['iam']): Promise<readonly string[]> {
  const { InstanceProfiles = [] } = await iam.send(new ListInstanceProfilesCommand({}));
  return InstanceProfiles.map(({ InstanceProfileName = '' }) => InstanceProfileName);
}
