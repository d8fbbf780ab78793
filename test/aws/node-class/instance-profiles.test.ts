import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  type CreateInstanceProfileCommandInput,
  DeleteInstanceProfileCommand,
  EntityAlreadyExistsException,
  GetInstanceProfileCommand,
  IAMClient,
  ListInstanceProfilesCommand,
  NoSuchEntityException,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { instanceProfiles, isProfileUsed } from '../../../shared/aws/node-class/instance-profiles.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { aWrittenClass } from '../../support/node-classes.ts';

const client = new IAMClient({ region: 'us-east-1', maxAttempts: 1 });
const iam = mockClient(client);
const missing = () => new NoSuchEntityException({ message: 'no such entity', $metadata: {} });
const used = new Set<string>();
const profiles = instanceProfiles(client, async (arn) => used.has(arn), {
  cluster: 'demo',
  region: 'us-east-1',
});
const OWNER = { name: 'default', uid: 'u-1' };

/** The part of IAM that profiles need. */
let stored: Map<string, { path: string; role?: string }>;
beforeEach(() => {
  stored = new Map();
  iam.reset();
  iam.on(GetInstanceProfileCommand).callsFake(({ InstanceProfileName: name }: Named) => {
    const profile = stored.get(name);
    if (!profile) throw missing();
    return { InstanceProfile: shown(name, profile.role) };
  });
  iam.on(CreateInstanceProfileCommand).callsFake((input: CreateInstanceProfileCommandInput) => {
    const { InstanceProfileName: name = '', Path: path = '' } = input;
    if (stored.has(name)) {
      throw new EntityAlreadyExistsException({ message: '', $metadata: {} });
    }
    stored.set(name, { path });
    return {};
  });
  iam.on(AddRoleToInstanceProfileCommand).callsFake((input: Named & { RoleName: string }) => {
    stored.set(input.InstanceProfileName, {
      path: stored.get(input.InstanceProfileName)?.path ?? '',
      role: input.RoleName,
    });
    return {};
  });
  iam.on(RemoveRoleFromInstanceProfileCommand).callsFake(({ InstanceProfileName: name }: Named) => {
    stored.set(name, { path: stored.get(name)?.path ?? '' });
    return {};
  });
  iam.on(DeleteInstanceProfileCommand).callsFake(({ InstanceProfileName: name }: Named) => {
    if (!stored.delete(name)) throw missing();
    return {};
  });
  iam.on(ListInstanceProfilesCommand).callsFake(({ PathPrefix = '' }: { PathPrefix?: string }) => ({
    InstanceProfiles: [...stored]
      .filter(([, { path }]) => path.startsWith(PathPrefix))
      .map(([name, { path, role }]) => ({ ...shown(name, role), Path: path })),
  }));
});

interface Named {
  readonly InstanceProfileName: string;
}
const shown = (InstanceProfileName: string, RoleName?: string) => ({
  InstanceProfileName,
  Arn: `arn of ${InstanceProfileName}`,
  CreateDate: new Date(NOON),
  Roles: RoleName === undefined ? [] : [{ RoleName }],
});

const { role: _, ...withoutRole } = aWrittenClass().spec;
const specWith = (fields: object) => ({ ...withoutRole, ...fields });
const ensure = (fields: object, owner = OWNER) => profiles.ensure(owner, specWith(fields));
const writes = () => iam.calls().filter(({ args: [command] }) => !(command instanceof GetInstanceProfileCommand));

describe('the profile of a class with a role', () => {
  it('is created below the path of its class, with its tags and the role', async () => {
    const name = await ensure({ role: 'R', tags: { team: 'a' } });

    expect(name).toMatch(/^demo_[0-9a-f]{20}$/);
    expect(stored.get(name)).toEqual({ path: '/karpenter/us-east-1/demo/u-1/', role: 'R' });
    const [call] = iam.commandCalls(CreateInstanceProfileCommand);
    expect(call?.args[0].input.Tags).toEqual([
      { Key: 'team', Value: 'a' },
      { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
      { Key: 'eks:eks-cluster-name', Value: 'demo' },
      { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
      { Key: 'topology.kubernetes.io/region', Value: 'us-east-1' },
    ]);
  });

  it('has the role by its last name, whatever its path', async () => {
    expect(stored.get(await ensure({ role: 'path/R' }))?.role).toBe('R');
  });

  it('stays unchanged if it is correct', async () => {
    const name = await ensure({ role: 'R' });
    const before = writes().length;

    expect(await ensure({ role: 'R' })).toBe(name);
    expect(writes()).toHaveLength(before);
  });

  it('is separate for each role and class, and old ones stay', async () => {
    const names = [
      await ensure({ role: 'A' }),
      await ensure({ role: 'B' }),
      await ensure({ role: 'C' }),
      await ensure({ role: 'A' }, { name: 'other', uid: 'u-2' }),
    ];

    expect(new Set(names).size).toBe(4);
    expect([...stored.keys()].toSorted()).toEqual(names.toSorted());
  });

  it('gets its role back after a manual change', async () => {
    const name = await ensure({ role: 'R' });
    stored.set(name, { path: '', role: 'wrong' });

    await ensure({ role: 'R' });

    expect(stored.get(name)?.role).toBe('R');
  });

  it('is deleted again if the role does not exist', async () => {
    iam.on(AddRoleToInstanceProfileCommand).rejects(missing());

    await expect(ensure({ role: 'R' })).rejects.toThrow(NoSuchEntityException);
    expect(stored.size).toBe(0);
  });

  it('may be created by two runs at once', async () => {
    const names = await Promise.all([ensure({ role: 'R' }), ensure({ role: 'R' })]);

    expect(new Set(names).size).toBe(1);
    expect(stored.get(names[0] ?? '')?.role).toBe('R');
  });
});

describe('a class with a profile of its own', () => {
  it('uses that profile without calling IAM', async () => {
    expect(await ensure({ instanceProfile: 'p' })).toBe('p');
    expect(iam.calls()).toEqual([]);
  });
});

describe('a profile that no class names any more', () => {
  it('is deleted after an hour, once no instance uses it', async () => {
    const [stale, busy, current] = [
      await ensure({ role: 'A' }),
      await ensure({ role: 'B' }),
      await ensure({ role: 'C' }),
    ];
    used.clear();
    used.add(`arn of ${busy}`);
    const remaining = () => [...stored.keys()].toSorted();

    await profiles.sweep(new Set([current]), NOON + HOUR_MS - 1);
    expect(remaining()).toEqual([stale, busy, current].toSorted());

    await profiles.sweep(new Set([current]), NOON + 2 * HOUR_MS);
    expect(remaining()).toEqual([busy, current].toSorted());
  });
});

describe('an instance that uses a profile', () => {
  const ec2Client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
  const ec2 = mockClient(ec2Client);
  const Reservations = [{ Instances: [{ InstanceId: 'i-1' }] }];

  it('is found on a later page, after pages without an instance', async () => {
    ec2
      .on(DescribeInstancesCommand)
      .resolvesOnce({ Reservations: [], NextToken: '1' })
      .resolvesOnce({ NextToken: '2' })
      .resolves({ Reservations });

    expect(await isProfileUsed(ec2Client)('arn')).toBe(true);
  });

  it('does not exist if no page has one', async () => {
    ec2.reset();
    ec2.on(DescribeInstancesCommand).resolvesOnce({ NextToken: '1' }).resolves({});

    expect(await isProfileUsed(ec2Client)('arn')).toBe(false);
    expect(ec2.commandCalls(DescribeInstancesCommand)).toHaveLength(2);
  });
});

describe('a deleted class', () => {
  it('sends no request to IAM for a path that IAM does not accept', async () => {
    const location = { cluster: 'my cluster', region: 'us-east-1' };
    const unnamable = instanceProfiles(client, async () => false, location);

    await unnamable.release(OWNER);
    await unnamable.sweep(new Set(), NOON);

    expect(iam.calls()).toEqual([]);
  });

  it('deletes its profiles and no others', async () => {
    await ensure({ role: 'A' });
    await ensure({ role: 'B' });
    const other = await ensure({ role: 'A' }, { name: 'other', uid: 'u-2' });

    await profiles.release(OWNER);

    expect([...stored.keys()]).toEqual([other]);
  });
});
