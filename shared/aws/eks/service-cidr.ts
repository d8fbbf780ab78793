import {
  DescribeClusterCommand,
  type EKSClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-eks';

/**
 * The range that Services get their addresses from. It never changes.
 *
 * @returns absent: EKS does not know the cluster, as one that somebody runs on their own
 */
export async function serviceCidrOf(eks: EKSClient, name: string): Promise<string | undefined> {
  try {
    const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
    const { serviceIpv4Cidr, serviceIpv6Cidr } = cluster?.kubernetesNetworkConfig ?? {};
    return serviceIpv4Cidr ?? serviceIpv6Cidr;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
