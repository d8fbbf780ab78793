import type { Instance } from '@aws-sdk/client-ec2';
import {
  DescribeAccessEntryCommand,
  ListAccessEntriesCommand,
  ListAssociatedAccessPoliciesCommand,
  ListClustersCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-eks';
import { GetInstanceProfileCommand, NoSuchEntityException } from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { textAt } from '../json.ts';
import type { AdminClient } from '../kubernetes/admin-client.ts';
import type { CloudClients } from './cloud-clients.ts';

/** The user and groups of a caller, which RBAC evaluates. */
export interface Caller {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Authentication in EKS, by the access entries of the emulated EKS. They apply at once. */
export interface AccessEntries {
  /**
   * Maps session tokens to callers. The token of a function is its name (see `lambda-node`), and the
   * access entries of its role give the groups.
   */
  callerOf(sessionToken: string | undefined): Promise<Caller | undefined>;
  /** Lists the ARNs of the roles that are administrators of a cluster. Its creator is no role. */
  administrators(): Promise<readonly string[]>;
}

const ADMINISTRATOR = 'AmazonEKSClusterAdminPolicy';

export function createAccessEntries({ eks, lambda }: CloudClients): AccessEntries {
  async function listClusters(): Promise<readonly string[]> {
    return (await eks.send(new ListClustersCommand({}))).clusters ?? [];
  }

  async function isAdministrator(clusterName: string, principalArn: string): Promise<boolean> {
    const list = new ListAssociatedAccessPoliciesCommand({ clusterName, principalArn });
    const { associatedAccessPolicies = [] } = await eks.send(list);
    return associatedAccessPolicies.some(({ policyArn = '' }) => policyArn.endsWith(ADMINISTRATOR));
  }

  /** Returns the groups of a role in a cluster; undefined if it has no access entry there. */
  async function findGroups(clusterName: string, principalArn: string): Promise<readonly string[] | undefined> {
    const entry = await findEntry({ eks }, clusterName, principalArn);
    if (!entry) return undefined;
    const groups = entry.kubernetesGroups ?? [];
    return (await isAdministrator(clusterName, principalArn)) ? [...groups, 'system:masters'] : groups;
  }

  return {
    async callerOf(sessionToken) {
      // A call without a session token comes from the command line of the cluster's creator, an
      // administrator.
      if (sessionToken === undefined) return { name: 'person', groups: ['system:masters'] };

      const get = new GetFunctionConfigurationCommand({ FunctionName: sessionToken });
      const { Role } = await lambda.send(get).catch(() => ({ Role: undefined }));
      if (Role === undefined) return undefined;
      const clusters = await listClusters();
      const all = await Promise.all(clusters.map((cluster) => findGroups(cluster, Role)));
      const groups = all.filter((one) => one !== undefined);
      return groups.length === 0 ? undefined : { name: sessionToken, groups: groups.flat() };
    },
    async administrators() {
      const roles: string[] = [];
      for (const clusterName of await listClusters()) {
        const list = new ListAccessEntriesCommand({ clusterName });
        const { accessEntries = [] } = await eks.send(list);
        for (const role of accessEntries.filter((arn) => arn.includes(':role/')))
          if (await isAdministrator(clusterName, role)) roles.push(role);
      }
      return roles;
    },
  };
}

async function findEntry({ eks }: Pick<CloudClients, 'eks'>, clusterName: string, principalArn: string) {
  try {
    const describe = new DescribeAccessEntryCommand({ clusterName, principalArn });
    return (await eks.send(describe)).accessEntry;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** The types of the access entries that let nodes join. */
const NODE_TYPES: readonly string[] = ['EC2_LINUX', 'EC2_WINDOWS', 'HYBRID_LINUX', 'EC2'];
const AUTH_MAP = '/api/v1/namespaces/kube-system/configmaps/aws-auth';

/**
 * Returns whether the kubelet of an instance is authenticated now: the role in its instance profile
 * needs an access entry for nodes, or a line in the ConfigMap aws-auth. Instances without a profile are
 * nodes of another tool in a scenario, which is expected to have given them access.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
 */
export const createNodeAuthentication =
  (cloud: Pick<CloudClients, 'eks' | 'iam'>, kube: AdminClient, cluster: string) =>
  async ({ IamInstanceProfile }: Instance): Promise<boolean> => {
    const InstanceProfileName = IamInstanceProfile?.Arn?.split('/').at(-1);
    if (InstanceProfileName === undefined) return true;
    const role = await findRole(cloud, InstanceProfileName);
    if (role === undefined) return false;
    const entry = await findEntry(cloud, cluster, role);
    if (entry) return NODE_TYPES.includes(entry.type ?? '');
    const map = await kube.get(AUTH_MAP).catch(() => undefined);
    // The ConfigMap has roles without their path.
    const [name = ''] = role.split('/').slice(-1);
    return textAt(map, 'data', 'mapRoles').includes(`:role/${name}`);
  };

async function findRole({ iam }: Pick<CloudClients, 'iam'>, InstanceProfileName: string): Promise<string | undefined> {
  try {
    const get = new GetInstanceProfileCommand({ InstanceProfileName });
    return (await iam.send(get)).InstanceProfile?.Roles?.[0]?.Arn;
  } catch (error) {
    if (error instanceof NoSuchEntityException) return undefined;
    throw error;
  }
}
