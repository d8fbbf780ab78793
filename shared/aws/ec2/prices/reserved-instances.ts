import { DescribeReservedInstancesCommand, type EC2Client, type ReservedInstances } from '@aws-sdk/client-ec2';
import { toReservedInstances } from '../../../api/committed-capacity.ts';
import type { Commitment } from '../../../model/offerings/commitment.ts';

/** The product description of Linux instances begins with this, in a VPC or not. */
const LINUX = 'Linux/UNIX';

/**
 * Reads the active reserved instances of the account for Linux and default tenancy.
 *
 * @param share - the part that this cluster may use: 0 to 1
 * @throws EC2ServiceException - EC2 does not answer
 */
export async function readReservedInstances(ec2: EC2Client, share: number): Promise<readonly Commitment[]> {
  const active = { Name: 'state', Values: ['active'] };
  const { ReservedInstances = [] } = await ec2.send(new DescribeReservedInstancesCommand({ Filters: [active] }));
  return ReservedInstances.flatMap((one) => toCommitment(one, share) ?? []);
}

function toCommitment(reserved: ReservedInstances, share: number): Commitment | undefined {
  const { ReservedInstancesId: id, InstanceType, InstanceCount: count = 0, End } = reserved;
  const { ProductDescription = '', InstanceTenancy, Scope, AvailabilityZone: zone } = reserved;
  if (id === undefined || InstanceType === undefined || InstanceTenancy === 'dedicated') return undefined;
  if (!ProductDescription.startsWith(LINUX)) return undefined;
  const isZonal = Scope === 'Availability Zone' && zone !== undefined;
  const { amount, ...scope } = toReservedInstances({ instanceType: InstanceType, ...(isZonal && { zone }) }, count);
  return { id, amount: amount * share, ...scope, ...(End && { endsAt: End.getTime() }) };
}
