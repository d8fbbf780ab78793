import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import type { StackSettings } from '../../shared/composition/settings.ts';
import { fail } from '../errors.ts';
import { type AwsFlags, toClientSettings } from './aws-flags.ts';
import { callAws, isNamed } from './aws-problems.ts';

/**
 * Asks EKS for the cluster's API server.
 *
 * @throws CliError - `not-found`, and those of `callAws`
 */
export async function findCluster(name: string, flags: AwsFlags, env: ServerOverrides): Promise<ClusterEndpoint> {
  const eks = new EKSClient(toClientSettings(flags));
  const where = `EKS cluster ${name}`;
  const region = await callAws(where, () => eks.config.region());
  const { cluster } = await callAws(where, () => eks.send(new DescribeClusterCommand({ name })), {
    answer: (error) => (isNamed(error, 'ResourceNotFoundException') ? { cluster: undefined } : undefined),
  });
  if (!cluster) {
    throw fail({
      code: 'not-found',
      what: `no EKS cluster ${name}`,
      where: region,
      fix: 'check --cluster, --region and --profile',
    });
  }
  const endpoint = env.CLUSTER_ENDPOINT || cluster.endpoint;
  const authority = env.CLUSTER_CA_BUNDLE || cluster.certificateAuthority?.data;
  if (!endpoint || !authority) {
    throw fail({
      code: 'cluster-unreachable',
      what: `the API server of ${name} has no address`,
      where: `${where}, ${region}`,
      why: `its status is ${cluster.status}`,
      fix: 'wait until it is ACTIVE',
    });
  }
  const serviceCidr = cluster.kubernetesNetworkConfig?.serviceIpv4Cidr;
  return {
    cluster: name,
    region,
    endpoint,
    certificateAuthority: Buffer.from(authority, 'base64').toString(),
    ...(serviceCidr !== undefined && { serviceCidr }),
    ...(cluster.arn !== undefined && { clusterArn: cluster.arn }),
  };
}

/** Facts about an API server that the controller and its nodes need. */
export type ClusterEndpoint = Omit<StackSettings, 'table' | 'bucket'>;

/** Values from the environment that override EKS: the endpoint may be a tunnel's. */
export interface ServerOverrides {
  readonly CLUSTER_NAME?: string | undefined;
  readonly CLUSTER_ENDPOINT?: string | undefined;
  /** PEM in base64. */
  readonly CLUSTER_CA_BUNDLE?: string | undefined;
  /** The Service CIDR of a cluster that is not managed by EKS. */
  readonly SERVICE_CIDR?: string | undefined;
}
