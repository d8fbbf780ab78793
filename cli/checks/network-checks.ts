import {
  paginateDescribeRouteTables,
  paginateDescribeSubnets,
  paginateDescribeVpcEndpoints,
  type RouteTable,
  type Subnet,
} from '@aws-sdk/client-ec2';
import type { AccountCheck, CheckSources } from './check-sources.ts';
import { type Finding, fail, ok } from './finding.ts';

/** The services that functions in subnets without a way out reach through interface endpoints. */
const ENDPOINTS = ['ec2', 'eks', 'sqs', 'ssm', 'lambda', 'secretsmanager', 'monitoring'];
/** DynamoDB and S3 have endpoints of both kinds. */
const GATEWAYS = ['dynamodb', 's3'];

/** Functions with `functionSubnets` have no public address: they need a NAT gateway, or endpoints. */
export const NETWORK_CHECKS: readonly AccountCheck[] = [
  {
    ...{ group: 'network', name: 'endpoints', stages: ['before', 'after'] },
    rights: ['ec2:DescribeSubnets', 'ec2:DescribeRouteTables', 'ec2:DescribeVpcEndpoints'],
    async find(sources) {
      const ids = sources.options.functionSubnets;
      if (ids.length === 0) return [];
      // A filter, because ids that do not exist would be an error.
      const Filters = [{ Name: 'subnet-id', Values: [...ids] }];
      const pages = paginateDescribeSubnets({ client: sources.ec2 }, { Filters });
      const existingSubnets = (await readPages(pages)).flatMap(({ Subnets = [] }) => Subnets);
      const existing = new Set(existingSubnets.map(({ SubnetId }) => SubnetId));
      const missing = ids.filter((id) => !existing.has(id));
      const [first] = existingSubnets;
      return [
        ...missing.map((id) => fail(`no subnet ${id}`, 'correct --set functionSubnets')),
        ...(first?.VpcId === undefined ? [] : await findWayOut(sources, first.VpcId, existingSubnets)),
      ];
    },
  },
];

async function findWayOut(
  { ec2, region }: CheckSources,
  vpc: string,
  subnets: readonly Subnet[],
): Promise<readonly Finding[]> {
  const Filters = [{ Name: 'vpc-id', Values: [vpc] }];
  const [tablePages, endpointPages] = await Promise.all([
    readPages(paginateDescribeRouteTables({ client: ec2 }, { Filters })),
    readPages(paginateDescribeVpcEndpoints({ client: ec2 }, { Filters })),
  ]);
  const routeTables = tablePages.flatMap(({ RouteTables = [] }) => RouteTables);
  const endpoints = endpointPages.flatMap(({ VpcEndpoints = [] }) => VpcEndpoints);
  const services = new Set(endpoints.map(({ ServiceName = '' }) => ServiceName.split('.').at(-1)));
  const lacking = [...ENDPOINTS, ...GATEWAYS].filter((service) => !services.has(service));
  return subnets.map(({ SubnetId = '' }) => {
    const target = findDefaultTarget(routeTables, SubnetId);
    if (target?.startsWith('igw-') && lacking.length > 0) {
      return fail(
        `the subnet ${SubnetId} leaves through an internet gateway, and functions have no public address`,
        'subnets with a NAT gateway, or the endpoints of docs/guides/private-clusters.md',
      );
    }
    if (target !== undefined && !target.startsWith('igw-')) {
      return ok(`the subnet ${SubnetId} leaves through ${target}`);
    }
    return lacking.length === 0
      ? ok(`the subnet ${SubnetId} has endpoints of all services`)
      : fail(
          `the subnet ${SubnetId} has no default route, and ${vpc} no endpoint of ${lacking.join(', ')}`,
          `create them (com.amazonaws.${region}.<service>), or a NAT gateway`,
        );
  });
}

async function readPages<Page>(pages: AsyncIterable<Page>): Promise<readonly Page[]> {
  const read: Page[] = [];
  for await (const page of pages) read.push(page);
  return read;
}

/** A subnet without a route table of its own has the main one of the VPC. */
function findDefaultTarget(tables: readonly RouteTable[], subnet: string): string | undefined {
  const associated = (test: (id: string | undefined, isMain: boolean | undefined) => boolean) =>
    tables.find(({ Associations = [] }) => Associations.some(({ SubnetId, Main }) => test(SubnetId, Main)));
  const table = associated((id) => id === subnet) ?? associated((_, isMain) => isMain === true);
  const route = table?.Routes?.find(
    ({ DestinationCidrBlock, State }) => DestinationCidrBlock === '0.0.0.0/0' && State !== 'blackhole',
  );
  return route?.NatGatewayId ?? route?.TransitGatewayId ?? route?.NetworkInterfaceId ?? route?.GatewayId;
}
