import assert from 'node:assert/strict';
import { GetInstanceProfileCommand } from '@aws-sdk/client-iam';
import { reconcileNodeClasses } from '../../../shared/controllers/node-class/reconcile.ts';
import { aClassObject, aWrittenClass } from '../../support/node-classes.ts';
import { CLUSTER, DISCOVERY, NODE_ROLE } from './account.ts';
import type { MotoWorld, Stage } from './world.ts';

type Written = Readonly<Record<string, unknown>>;

const selectors = {
  subnetSelectorTerms: [{ tags: { [DISCOVERY.Key]: DISCOVERY.Value } }],
  securityGroupSelectorTerms: [{ tags: { [DISCOVERY.Key]: '*' } }],
};

/** Specs of the run's classes, by name. */
const CLASSES: Readonly<Record<string, Written>> = {
  default: {
    ...selectors,
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role: NODE_ROLE,
    tags: { team: 'a' },
  },
  bottlerocket: {
    ...selectors,
    amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
    role: NODE_ROLE,
    instanceStorePolicy: 'RAID0',
  },
  windows: {
    ...selectors,
    amiSelectorTerms: [{ alias: 'windows2022@latest' }],
    role: NODE_ROLE,
  },
  custom: {
    ...selectors,
    amiFamily: 'Custom',
    amiSelectorTerms: [{ ssmParameter: '/mine/x86_64/image_id' }],
    instanceProfile: 'made-by-hand',
    userData: '#!/bin/sh\njoin\n',
  },
};

/** Specs that cannot become ready, with the condition that must say so. */
const BROKEN: Readonly<Record<string, { spec: Written; says: string }>> = {
  'without-subnets': {
    spec: { ...CLASSES.default, subnetSelectorTerms: [{ tags: { nobody: 'has it' } }] },
    says: 'SubnetsReady=False/SubnetsNotFound',
  },
  'without-groups': {
    spec: { ...CLASSES.default, securityGroupSelectorTerms: [{ name: 'nobody-has-it' }] },
    says: 'SecurityGroupsReady=False/SecurityGroupsNotFound',
  },
  'without-images': {
    spec: { ...CLASSES.default, amiFamily: 'AL2', amiSelectorTerms: [{ name: 'nobody-has-it' }] },
    says: 'AMIsReady=False/AMINotFound',
  },
  'too-old': {
    spec: { ...CLASSES.default, amiSelectorTerms: [{ alias: 'al2@latest' }] },
    says: 'AMIsReady=False/UnsupportedAlias',
  },
};

/**
 * Resolves written EC2NodeClasses; those that cannot be resolved must report the missing resource.
 */
export const resolveClasses: Stage = async (world, { iam, faulty }) => {
  for (const [name, spec] of Object.entries(CLASSES)) add(world, name, spec);
  for (const [name, { spec }] of Object.entries(BROKEN)) add(world, name, spec);
  await reconcileNodeClasses(world.ports);

  for (const [name, { says }] of Object.entries(BROKEN)) {
    assert.ok(conditionsOf(world, name).includes(says), `${name}: ${conditionsOf(world, name)}`);
    assert.ok(conditionsOf(world, name).some((one) => one.startsWith('Ready=False')));
  }
  const ready = await world.records.nodeClasses.list();
  for (const name of Object.keys(CLASSES)) {
    const nodeClass = ready.find((one) => one.name === name);
    assert.ok(conditionsOf(world, name).includes('Ready=True/Ready'), `${conditionsOf(world, name)}`);
    // The largest subnet comes first.
    const zones = nodeClass?.subnets.map(({ zone }) => zone);
    assert.deepEqual(zones, ['us-east-1a', 'us-east-1b', 'us-east-1c']);
    assert.equal(nodeClass?.securityGroups.length, 1);
    assert.ok((nodeClass?.images.length ?? 0) > 0);
  }

  const profile = ready.find(({ name }) => name === 'default')?.instanceProfile ?? '';
  const made = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName: profile }));
  assert.equal(made.InstanceProfile?.Path, `/karpenter/us-east-1/${CLUSTER}/class-default/`);
  assert.deepEqual(
    made.InstanceProfile?.Roles?.map(({ RoleName }) => RoleName),
    [NODE_ROLE],
  );
  assert.deepEqual(Object.fromEntries((made.InstanceProfile?.Tags ?? []).map(({ Key, Value }) => [Key, Value])), {
    team: 'a',
    [`kubernetes.io/cluster/${CLUSTER}`]: 'owned',
    'eks:eks-cluster-name': CLUSTER,
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'topology.kubernetes.io/region': 'us-east-1',
  });

  const before = faulty.requests.get('DescribeSubnets');
  await reconcileNodeClasses(world.ports);
  assert.equal(faulty.requests.get('DescribeSubnets'), before, 'asked again within a minute');
  return { ready: Object.keys(CLASSES), refused: Object.keys(BROKEN), requests: before };
};

function add(world: MotoWorld, name: string, spec: Readonly<Record<string, unknown>>): void {
  const uid = `class-${name}`;
  const plain = aWrittenClass({ role: undefined, ...spec });
  const written = { ...plain, metadata: { ...plain.metadata, name, uid } };
  world.classObjects.set(name, aClassObject({ name, uid, spec: { outcome: 'read', written } }));
}

const conditionsOf = ({ classObjects }: MotoWorld, name: string): readonly string[] =>
  (classObjects.get(name)?.conditions ?? []).map((one) => {
    const reason = 'reason' in one ? one.reason : '';
    return `${one.type}=${one.status}/${reason}`;
  });
