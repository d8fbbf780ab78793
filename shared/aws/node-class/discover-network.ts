import { type EC2Client, paginateDescribeSecurityGroups, paginateDescribeSubnets } from '@aws-sdk/client-ec2';
import type { NodeSecurityGroup, NodeSubnet } from '../../model/nodes/resolved-node-class.ts';
import type { NodeClassResources } from '../../ports/node-classes.ts';
import { buildQueries, type SelectorQuery } from './selector-filters.ts';

const PAGE = 500;

/** Sorted by free addresses, because launches take the first subnet of a zone. */
export const discoverSubnets =
  (ec2: EC2Client): NodeClassResources['subnets'] =>
  async (terms) => {
    const results = await findDistinct(buildQueries(terms, { id: 'subnet-id' }), (query) =>
      describeSubnets(ec2, query),
    );
    return results.toSorted((a, b) => b.freeAddresses - a.freeAddresses || compareById(a, b));
  };

async function describeSubnets(ec2: EC2Client, query: SelectorQuery): Promise<readonly NodeSubnet[]> {
  const pages = paginateDescribeSubnets({ client: ec2, pageSize: PAGE }, { Filters: [...query] });
  const subnets: NodeSubnet[] = [];
  for await (const { Subnets = [] } of pages) {
    for (const { SubnetId, AvailabilityZone, AvailabilityZoneId, AvailableIpAddressCount } of Subnets) {
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
    const queries = buildQueries(terms, { id: 'group-id', name: 'group-name' });
    const results = await findDistinct(queries, (query) => describeGroups(ec2, query));
    return results.toSorted(compareById);
  };

async function describeGroups(ec2: EC2Client, query: SelectorQuery): Promise<readonly NodeSecurityGroup[]> {
  const pages = paginateDescribeSecurityGroups({ client: ec2, pageSize: PAGE }, { Filters: [...query] });
  const groups: NodeSecurityGroup[] = [];
  for await (const { SecurityGroups = [] } of pages) {
    for (const { GroupId, GroupName = '' } of SecurityGroups) {
      if (GroupId) groups.push({ id: GroupId, name: GroupName });
    }
  }
  return groups;
}

/** Returns the results of all queries, each once. */
async function findDistinct<T extends { readonly id: string }>(
  queries: readonly SelectorQuery[],
  find: (query: SelectorQuery) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const results = (await Promise.all(queries.map(find))).flat();
  return [...new Map(results.map((one) => [one.id, one])).values()];
}

const compareById = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
