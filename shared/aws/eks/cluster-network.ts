import { DescribeClusterCommand, type EKSClient, ResourceNotFoundException } from '@aws-sdk/client-eks';
import type { ClusterNetwork } from '../../ports/cluster-setup.ts';

const EGRESS: Readonly<Record<string, ClusterNetwork['egress']>> = {
  AWS_MANAGED: 'aws-managed',
  CUSTOMER_ROUTED: 'customer-routed',
  CUSTOMER_ISOLATED: 'customer-isolated',
};

/**
 * Reads the endpoint access of the cluster. Fields that EKS leaves out have the defaults of older
 * clusters.
 */
export async function readClusterNetwork(eks: EKSClient, name: string): Promise<ClusterNetwork> {
  const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
  const vpc = cluster?.resourcesVpcConfig;
  return {
    isPublic: vpc?.endpointPublicAccess ?? true,
    publicCidrs: vpc?.publicAccessCidrs ?? ['0.0.0.0/0'],
    egress: EGRESS[vpc?.controlPlaneEgressMode ?? ''] ?? 'aws-managed',
  };
}

/**
 * Reads the service CIDR, which never changes.
 *
 * @returns undefined if EKS does not know the cluster, for example a self-managed one
 */
export async function readServiceCidr(eks: EKSClient, name: string): Promise<string | undefined> {
  try {
    const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
    const { serviceIpv4Cidr, serviceIpv6Cidr } = cluster?.kubernetesNetworkConfig ?? {};
    return serviceIpv4Cidr ?? serviceIpv6Cidr;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
