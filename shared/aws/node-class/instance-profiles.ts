import { createHash } from 'node:crypto';
import { type EC2Client, paginateDescribeInstances } from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  EntityAlreadyExistsException,
  GetInstanceProfileCommand,
  type IAMClient,
  type InstanceProfile,
  LimitExceededException,
  NoSuchEntityException,
  paginateListInstanceProfiles,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { NODECLASS_LABEL, REGION_LABEL } from '../../model/labels.ts';
import { HOUR_MS } from '../../model/time.ts';
import type { NodeClassIdentity, NodeClassResources } from '../../ports/node-classes.ts';

export interface ProfileSettings {
  readonly cluster: string;
  readonly region: string;
}

interface ProfileSpec {
  readonly name: string;
  readonly path: string;
  readonly role: string;
  readonly tags: Readonly<Record<string, string>>;
}

interface InstanceProfiles {
  readonly ensure: NodeClassResources['instanceProfile'];
  release(owner: NodeClassIdentity): Promise<void>;
  readonly sweep: NodeClassResources['sweepProfiles'];
}

interface ManagedProfiles extends InstanceProfiles {
  /** Deletes all profiles of the cluster that no instance uses, whatever their age. */
  removeUnused(): Promise<void>;
  ensure(...order: Parameters<NodeClassResources['instanceProfile']>): Promise<string>;
}

/**
 * Instance profiles for the roles of node classes. The name follows from cluster, class and role: a
 * repeated run finds the existing profile, and a changed role gets another profile, so that
 * existing nodes keep theirs.
 *
 * @param isUsed - tells if any instance uses the profile
 */
export function instanceProfiles(
  iam: IAMClient,
  isUsed: (arn: string) => Promise<boolean>,
  settings: ProfileSettings,
): ManagedProfiles {
  return {
    async ensure(owner, { role, instanceProfile, tags = {} }) {
      if (instanceProfile) return instanceProfile;
      const spec = buildProfileSpec(settings, owner, role ?? '', tags);
      const profile = await findProfile(iam, spec.name);
      if (profile) await ensureRole(iam, spec, profile);
      else await createProfile(iam, spec);
      return spec.name;
    },
    async release(owner) {
      for (const profile of await listProfiles(iam, toPath(settings, owner))) {
        await removeProfile(iam, profile);
      }
    },
    async sweep(current, now) {
      for (const profile of await listProfiles(iam, toClusterPath(settings))) {
        const { InstanceProfileName: name = '', Arn = '', CreateDate } = profile;
        const isNew = (CreateDate?.getTime() ?? now) > now - PROTECTED_MS;
        if (current.has(name) || isNew || (await isUsed(Arn))) continue;
        await removeProfile(iam, profile);
      }
    },
    async removeUnused() {
      for (const profile of await listProfiles(iam, toClusterPath(settings))) {
        if (!(await isUsed(profile.Arn ?? ''))) await removeProfile(iam, profile);
      }
    },
  };
}

/** Used if IAM is out of reach: classes name profiles that the operator has created. */
export const unmanagedProfiles: InstanceProfiles = {
  ensure: async (_, { instanceProfile }) => instanceProfile,
  release: async () => {},
  sweep: async () => {},
};

/** A launch in progress may still name the profile. */
const PROTECTED_MS = HOUR_MS;

/**
 * @see IAM, the type pathPrefixType
 */
const IAM_PATH = /^\/[!-~]*\/$/;

/** The IAM path of all profiles of the cluster. */
export const toClusterPath = ({ cluster, region }: ProfileSettings): string => `/karpenter/${region}/${cluster}/`;

const toPath = (settings: ProfileSettings, { uid }: NodeClassIdentity): string => `${toClusterPath(settings)}${uid}/`;

async function listProfiles(iam: IAMClient, PathPrefix: string): Promise<readonly InstanceProfile[]> {
  // A path that IAM does not accept cannot contain profiles, and a request for it would always
  // fail.
  if (!IAM_PATH.test(PathPrefix)) return [];
  const profiles: InstanceProfile[] = [];
  const pages = paginateListInstanceProfiles({ client: iam }, { PathPrefix });
  for await (const { InstanceProfiles = [] } of pages) profiles.push(...InstanceProfiles);
  // The profiles are deleted, so their path is checked again here.
  return profiles.filter(({ Path = '' }) => Path.startsWith(PathPrefix));
}

function buildProfileSpec(
  settings: ProfileSettings,
  owner: NodeClassIdentity,
  roleOrPath: string,
  tags: Readonly<Record<string, string>>,
): ProfileSpec {
  const { cluster, region } = settings;
  // A role may be written with its path; IAM takes only the name.
  const role = roleOrPath.slice(roleOrPath.lastIndexOf('/') + 1);
  const id = createHash('sha256')
    .update(JSON.stringify([region, cluster, owner.uid, role]))
    .digest('hex')
    .slice(0, 20);
  return {
    // At most 128 characters; the name of a cluster has up to 100.
    name: `${cluster}_${id}`,
    path: toPath(settings, owner),
    role,
    tags: {
      ...tags,
      [`kubernetes.io/cluster/${cluster}`]: 'owned',
      'eks:eks-cluster-name': cluster,
      [NODECLASS_LABEL]: owner.name,
      [REGION_LABEL]: region,
    },
  };
}

async function findProfile(iam: IAMClient, name: string): Promise<InstanceProfile | undefined> {
  try {
    const answer = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName: name }));
    return answer.InstanceProfile;
  } catch (error) {
    if (error instanceof NoSuchEntityException) return undefined;
    throw error;
  }
}

async function createProfile(iam: IAMClient, spec: ProfileSpec): Promise<void> {
  const { name, path, tags } = spec;
  try {
    await iam.send(
      new CreateInstanceProfileCommand({
        InstanceProfileName: name,
        Path: path,
        Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
      }),
    );
  } catch (error) {
    if (!(error instanceof EntityAlreadyExistsException)) throw error;
  }
  try {
    await ensureRole(iam, spec, {});
  } catch (error) {
    // No status names an incomplete profile, so nothing else would delete it. The first error is
    // thrown.
    await deleteProfile(iam, name).catch(() => {});
    throw error;
  }
}

/** A profile has at most one role. */
async function ensureRole(
  iam: IAMClient,
  { name, role }: ProfileSpec,
  { Roles = [] }: Partial<InstanceProfile>,
): Promise<void> {
  const InstanceProfileName = name;
  if (Roles.some(({ RoleName }) => RoleName === role)) return;
  for (const { RoleName } of Roles) {
    await iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName }));
  }
  try {
    await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName: role }));
  } catch (error) {
    // IAM throws this if the profile has a role: a concurrent run has added it.
    if (!(error instanceof LimitExceededException)) throw error;
  }
}

async function removeProfile(iam: IAMClient, { InstanceProfileName, Roles = [] }: InstanceProfile): Promise<void> {
  for (const { RoleName } of Roles) {
    await iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName }));
  }
  await deleteProfile(iam, InstanceProfileName);
}

async function deleteProfile(iam: IAMClient, name: string | undefined): Promise<void> {
  try {
    await iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName: name }));
  } catch (error) {
    if (!(error instanceof NoSuchEntityException)) throw error;
  }
}

const STATES = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'];

/** Tells if an instance that is not terminated uses the profile. */
export const isProfileUsed =
  (ec2: EC2Client) =>
  async (arn: string): Promise<boolean> => {
    const Filters = [
      { Name: 'iam-instance-profile.arn', Values: [arn] },
      { Name: 'instance-state-name', Values: STATES },
    ];
    const pages = paginateDescribeInstances({ client: ec2, pageSize: 1000 }, { Filters });
    // EC2 may answer pages without an instance before others.
    for await (const { Reservations = [] } of pages) if (Reservations.length > 0) return true;
    return false;
  };
