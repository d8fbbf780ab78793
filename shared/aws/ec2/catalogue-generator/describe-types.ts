import type { EC2Client, InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { paginateDescribeInstanceTypes } from '@aws-sdk/client-ec2';

/**
 * Every type that EC2 knows in the region, unfiltered: `reduceTypes` chooses. (The emulator's filters
 * lose types that list more than one architecture.)
 *
 * @throws when EC2 does not answer, or a page is refused
 */
export async function describeTypes(ec2: EC2Client): Promise<InstanceTypeInfo[]> {
  const all: InstanceTypeInfo[] = [];
  for await (const page of paginateDescribeInstanceTypes({ client: ec2, pageSize: 100 }, {})) {
    all.push(...(page.InstanceTypes ?? []));
  }
  return all;
}
