import {
  type EC2Client,
  paginateDescribeSecurityGroups,
  paginateDescribeSubnets,
} from '@aws-sdk/client-ec2';
import type { NodeSecurityGroup, NodeSubnet } from '../../model/nodes/resolved-node-class.ts';
import type { NodeClassResources } from '../../ports/node-classes.ts';
import { type Query, queriesOf } from './selector-filters.ts';

const PAGE = 500;

/** Most free addresses first, for launches take the first of a zone. */
export const discoverSubnets =
  (ec2: EC2Client): NodeClassResources['subnets'] =>
  async (terms) => {
    const found = await distinct(queriesOf(terms, { id: 'subnet-id' }), (query) =>
      subnetsOf(ec2, query),
    );
    return found.toSorted((a, b) => b.freeAddresses - a.freeAddresses || byId(a, b));
  };

async function subnetsOf(ec2: EC2Client, query: Query): Promise<readonly NodeSubnet[]> {
  const pages = paginateDescribeSubnets({ client: ec2, pageSize: PAGE }, { Filters: [...query] });
  const subnets: NodeSubnet[] = [];
  for await (const { Subnets = [] } of pages) {
    for (const {
      SubnetId,
      AvailabilityZone,
      AvailabilityZoneId,
      AvailableIpAddressCount,
    } of Subnets) {
      if (!SubnetId || !AvailabilityZone) continue;
      subnets.push({
        id: SubnetId,
        zone: AvailabilityZone,
        ...(AvailabilityZoneId && { zoneId: AvailabilityZoneId }),
        freeAddresses: AvailableIpAddressCount ?? 0,
      });
    }
  }
  return subnets;
}

export const discoverSecurityGroups =
  (ec2: EC2Client): NodeClassResources['securityGroups'] =>
  async (terms) => {
    const queries = queriesOf(terms, { id: 'group-id', name: 'group-name' });
    const found = await distinct(queries, (query) => groupsOf(ec2, query));
    return found.toSorted(byId);
  };

async function groupsOf(ec2: EC2Client, query: Query): Promise<readonly NodeSecurityGroup[]> {
  const pages = paginateDescribeSecurityGroups(
    { client: ec2, pageSize: PAGE },
    { Filters: [...query] },
  );
  const groups: NodeSecurityGroup[] = [];
  for await (const { SecurityGroups = [] } of pages) {
    for (const { GroupId, GroupName = '' } of SecurityGroups) {
      if (GroupId) groups.push({ id: GroupId, name: GroupName });
    }
  }
  return groups;
}

/** What all queries find together, each once. */
async function distinct<T extends { readonly id: string }>(
  queries: readonly Query[],
  find: (query: Query) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found = (await Promise.all(queries.map(find))).flat();
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : 1;
