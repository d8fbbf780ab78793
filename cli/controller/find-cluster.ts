import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import type { ApiServerSettings } from '../../shared/home/settings.ts';
import { fail } from '../errors.ts';
import { type AwsFlags, clientSettings } from './aws-flags.ts';
import { askingAws, isNamed } from './aws-problems.ts';

/**
 * Where EKS has the cluster's API server.
 *
 * @throws CliError - `not-found`, and those of `askingAws`
 */
export async function findCluster(name: string, flags: AwsFlags): Promise<ApiServerSettings> {
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
  const { endpoint, certificateAuthority } = cluster;
  if (endpoint === undefined || certificateAuthority?.data === undefined) {
    throw fail({
      code: 'cluster-unreachable',
      what: `the API server of ${name} has no address`,
      where: `${where}, ${region}`,
      why: `its status is ${cluster.status}`,
      fix: 'wait until it is ACTIVE',
    });
  }
  const authority = Buffer.from(certificateAuthority.data, 'base64').toString();
  return { cluster: name, region, endpoint, certificateAuthority: authority };
}
