import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { fail } from '../errors.ts';
import { type AwsFlags, clientSettings } from './aws-flags.ts';
import { askingAws, isNamed } from './aws-problems.ts';
import type { ServerFacts, ServerOverrides } from './server-facts.ts';

/**
 * Where EKS has the cluster's API server.
 *
 * @throws CliError - `not-found`, and those of `askingAws`
 */
export async function findCluster(
  name: string,
  flags: AwsFlags,
  env: ServerOverrides,
): Promise<ServerFacts> {
  const eks = new EKSClient(clientSettings(flags));
  const where = `EKS cluster ${name}`;
  const region = await askingAws(where, () => eks.config.region());
  const { cluster } = await askingAws(where, () => eks.send(new DescribeClusterCommand({ name })), {
    answer: (error) =>
      isNamed(error, 'ResourceNotFoundException') ? { cluster: undefined } : undefined,
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
    ...(serviceCidr === undefined ? {} : { serviceCidr }),
    ...(cluster.arn === undefined ? {} : { clusterArn: cluster.arn }),
  };
}
