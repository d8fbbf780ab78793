import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import { AMI_FAMILIES } from './ami-families.ts';
import type { Ec2Type } from './ec2-types.ts';

/** The kubelet's default limit. */
const KUBELET_DEFAULT = 110;

/**
 * Counts the pods that the VPC CNI has addresses for: each interface keeps its first address, and
 * two pods of every node (CNI, kube-proxy) use the host's.
 *
 * @param reservedEnis - interfaces that pods cannot use, as with custom networking
 * @see amazon-vpc-cni-k8s, eni-max-pods
 */
export function countEniPods(
  { enis, ipv4PerEni }: Ec2Type,
  reservedEnis = 0,
  { networkInterfaces = [] }: Pick<EC2NodeClass, 'networkInterfaces'> = {},
): number {
  // EFA-only interfaces have no IP address.
  const efaOnly = networkInterfaces.filter(({ card, type }) => card === 0 && type === 'efa-only');
  const usable = Math.max(enis - reservedEnis - efaOnly.length, 0);
  return usable === 0 ? 0 : usable * (ipv4PerEni - 1) + 2;
}

/** Computes the limit of pods per node, including host-network pods. */
export function computeMaxPods(
  type: Ec2Type,
  nodeClass: Pick<EC2NodeClass, 'amiFamily' | 'kubelet' | 'networkInterfaces'>,
  reservedEnis = 0,
): number {
  const { amiFamily, kubelet } = nodeClass;
  const family = AMI_FAMILIES[amiFamily];
  const byDefault = family.limitsPodsByEnis ? countEniPods(type, reservedEnis, nodeClass) : KUBELET_DEFAULT;
  const limit = kubelet.maxPods ?? byDefault;
  const perCore = family.readsPodsPerCore ? (kubelet.podsPerCore ?? 0) : 0;
  return perCore > 0 ? Math.min(limit, perCore * type.cpu) : limit;
}
