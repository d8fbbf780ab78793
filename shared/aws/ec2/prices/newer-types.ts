import {
  type _InstanceType,
  type EC2Client,
  paginateDescribeInstanceTypes,
} from '@aws-sdk/client-ec2';
import { findEc2Type } from '../../../ec2/catalogue/ec2-types.ts';
import { COLUMNS, reduceType } from '../catalogue-generator/reduce-type.ts';

/** EC2 takes as many names in one request. */
const MOST_NAMES = 100;

/**
 * The types of these that this release does not know, one line each as in the bundled list. EC2 does
 * not tell how many interfaces pods with security groups of their own may have: none, until a release
 * knows.
 *
 * @throws when EC2 does not answer
 */
export async function readNewerTypes(ec2: EC2Client, names: readonly string[]): Promise<string[]> {
  const unknown = names.filter((name) => !findEc2Type(name));
  const rows: string[] = [];
  for (let start = 0; start < unknown.length; start += MOST_NAMES) {
    rows.push(...(await rowsOf(ec2, unknown.slice(start, start + MOST_NAMES))));
  }
  return rows.toSorted();
}

async function rowsOf(ec2: EC2Client, names: readonly string[]): Promise<readonly string[]> {
  // The SDK closes the list of names, and these are those that it does not know.
  const InstanceTypes = names as _InstanceType[];
  const rows: string[] = [];
  for await (const page of paginateDescribeInstanceTypes({ client: ec2 }, { InstanceTypes })) {
    for (const type of page.InstanceTypes ?? []) {
      const row = reduceType(type, '', {});
      if (row) rows.push(COLUMNS.map((column) => row[column]).join('|'));
    }
  }
  return rows;
}
