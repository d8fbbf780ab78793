import assert from 'node:assert/strict';
import type { Instance } from '@aws-sdk/client-ec2';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Launch, NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import { readBottlerocket, readSettings } from '../../ec2/node-class/readers/bottlerocket.ts';
import { mimeParts } from '../../ec2/node-class/readers/mime-parts.ts';
import { readNodeConfig } from '../../ec2/node-class/readers/node-config.ts';
import { readWindows } from '../../ec2/node-class/readers/windows.ts';
import type { Account } from './account.ts';
import { claimOf, launchAll, storeClaims } from './claims.ts';
import { instanceById, listTemplates, tagsOf, templateContent } from './ec2-state.ts';
import type { MotoWorld, Stage } from './world.ts';

const SPOT = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot'] } as const;
const ON_DEMAND = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] } as const;
const ZONE_B = { key: ZONE_LABEL, operator: 'In', values: ['us-east-1b'] } as const;

const CLAIMS: readonly NodeClaim[] = [
  claimOf('default', { name: 'al-1', requirements: [ON_DEMAND], labels: { team: 'a' } }),
  claimOf('default', { name: 'al-2', requirements: [SPOT, ZONE_B], labels: { team: 'a' } }),
  claimOf('bottlerocket', { name: 'br-1', requirements: [ON_DEMAND], labels: { team: 'a' } }),
  claimOf('windows', { name: 'win-1', requirements: [ON_DEMAND], labels: { team: 'a' } }),
  claimOf('custom', { name: 'own-1', requirements: [ON_DEMAND] }),
];

/**
 * Checks launches from a resolved class to instances with the right template, user data, zone and
 * tags, and their termination.
 */
export const launchNodes: Stage = async (world, account) => {
  const fleets = await launchAll(world, await storeClaims(world, CLAIMS, 'first'));
  for (const { name, nodeClass } of CLAIMS) {
    const { launch, labels = {} } = (await world.ports.nodeClaims.find(name))?.claim ?? {};
    assert.ok(launch, `${name} has no instance`);
    const instance = await instanceOf(account, launch);
    await expectInstance(world, instance, launch, nodeClass.name);
    assert.equal(labels['topology.kubernetes.io/zone'], launch.zone);
  }
  expectAllTagged(account);
  await expectUserData(account);
  await expectSeenAndNamed(world, account);
  const ended = await endOne(world);
  return {
    claims: CLAIMS.length,
    fleets,
    templates: (await listTemplates(account.truth)).length,
    ended,
  };
};

async function instanceOf({ truth }: Account, { providerId }: Launch): Promise<Instance> {
  const instance = await instanceById(truth, providerId.split('/').at(-1) ?? '');
  assert.ok(instance, `${providerId} is not there`);
  return instance;
}

async function expectInstance(
  { records }: MotoWorld,
  instance: Instance,
  launch: Launch,
  nodeClass: string,
): Promise<void> {
  const resolved = await records.nodeClasses.find(nodeClass);
  const subnet = resolved?.subnets.find(({ zone }) => zone === launch.zone);
  assert.equal(instance.InstanceType, launch.instanceType);
  assert.equal(instance.Placement?.AvailabilityZone, launch.zone);
  assert.equal(instance.SubnetId, subnet?.id);
  assert.equal(instance.ImageId, launch.imageId);

  const own = {
    ...resolved?.written.spec.tags,
    'kubernetes.io/cluster/demo': 'owned',
    'eks:eks-cluster-name': 'demo',
    'karpenter.sh/nodepool': 'general',
    'karpenter.k8s.aws/ec2nodeclass': nodeClass,
  };
  const { 'mortise.sh/launch': id, 'karpenter.sh/nodeclaim': claim, ...tags } = onlyOurs(instance);
  assert.deepEqual(tags, own);
  assert.match(`${id}`, /^first-\d+$/);
  assert.ok(claim);
}

/** EC2 adds its own tags to the instances of a fleet. */
const onlyOurs = ({ Tags }: Instance): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(tagsOf(Tags)).filter(([key]) => !key.startsWith('aws:')));

/** The emulator drops the volume tags and tags of a fleet, so the requests are checked instead. */
function expectAllTagged({ faulty }: Account): void {
  for (const fleet of faulty.fleets) {
    const tagged = [1, 2, 3].map((nth) => tagsIn(fleet, `TagSpecification.${nth}`));
    assert.deepEqual(
      tagged.map(({ type }) => type),
      ['instance', 'volume', 'fleet'],
    );
    const [ofInstance, ofVolume, ofFleet] = tagged.map(({ tags }) => tags);
    assert.deepEqual(ofVolume, ofInstance);
    assert.deepEqual(ofFleet, ofInstance);
    assert.equal(ofFleet?.['eks:eks-cluster-name'], 'demo');
  }
}

function tagsIn(fleet: URLSearchParams, prefix: string) {
  const tags: Record<string, string> = {};
  for (const [name, key] of fleet) {
    const nth = new RegExp(`^${prefix}\\.Tag\\.(\\d+)\\.Key$`).exec(name)?.[1];
    if (nth !== undefined) tags[key] = fleet.get(`${prefix}.Tag.${nth}.Value`) ?? '';
  }
  return { type: fleet.get(`${prefix}.ResourceType`), tags };
}

/** Checks the user data in the templates by parsing it as each image family does. */
async function expectUserData({ truth }: Account): Promise<void> {
  for (const { LaunchTemplateName = '', Tags } of await listTemplates(truth)) {
    const { 'karpenter.k8s.aws/ec2nodeclass': nodeClass = '', 'karpenter.sh/nodepool': pool } = tagsOf(Tags);
    // The template of the dry run; no node starts from it.
    if (pool === 'dry-run') continue;
    assert.match(LaunchTemplateName, /^karpenter\.k8s\.aws\/[0-9a-f]+$/);
    const data = await templateContent(truth, LaunchTemplateName);
    assert.deepEqual(
      {
        tokens: data.MetadataOptions?.HttpTokens,
        hops: data.MetadataOptions?.HttpPutResponseHopLimit,
      },
      { tokens: 'required', hops: 1 },
    );
    const text = Buffer.from(data.UserData ?? '', 'base64').toString();
    const boot = await readUserData(nodeClass, text);
    if (!boot) continue;
    assert.equal(boot.cluster, 'demo');
    assert.equal(boot.labels.team, 'a');
    assert.deepEqual(boot.taints, ['karpenter.sh/unregistered:NoExecute']);
    assert.equal(boot.usesRaid0, nodeClass === 'bottlerocket');
  }
}

async function readUserData(nodeClass: string, text: string) {
  if (nodeClass === 'bottlerocket') return readBottlerocket(readSettings(text));
  if (nodeClass === 'windows') return readWindows(text).boot;
  if (nodeClass === 'default') return readNodeConfig((await mimeParts(text)).at(-1)?.body ?? '');
  assert.equal(text, '#!/bin/sh\njoin\n');
  return undefined;
}

/**
 * Checks our adapters' view of the instances: all are listed, can be found by id, and have their
 * Node's name.
 */
async function expectSeenAndNamed({ ports }: MotoWorld, account: Account): Promise<void> {
  const listed = await ports.cloud.instances();
  assert.equal(listed.length, CLAIMS.length);
  const [first] = listed;
  assert.ok(first);
  assert.deepEqual(await ports.cloud.instance(first.providerId), first);
  await ports.cloud.nameInstance(first.providerId, { claim: 'al-1', name: 'ip-10-0-0-7' });
  const named = await instanceById(account.truth, first.providerId.split('/').at(-1) ?? '');
  const { Name, 'karpenter.sh/nodeclaim': claim } = tagsOf(named?.Tags);
  assert.deepEqual({ Name, claim }, { Name: 'ip-10-0-0-7', claim: 'al-1' });
}

/** Terminates an instance; a second termination is no error. */
async function endOne({ ports }: MotoWorld): Promise<string> {
  const { launch } = (await ports.nodeClaims.find('win-1'))?.claim ?? {};
  const providerId = launch?.providerId ?? '';
  await ports.cloud.terminate(providerId);
  await ports.cloud.terminate(providerId);
  const state = (await ports.cloud.instance(providerId))?.state;
  assert.ok(state === undefined || ['shutting-down', 'terminated'].includes(state), state);
  assert.ok(!(await ports.cloud.instances()).some((one) => one.providerId === providerId));
  return providerId;
}
