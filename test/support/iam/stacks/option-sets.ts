import { aTemplate, type Context } from '../../../infra/fixture.ts';
import { deployTemplate, type Location, type Resource } from './deployed-template.ts';

export const ACCOUNT = '111122223333';
export const CLUSTER = 'demo';

const location = (region: string, partition = 'aws', urlSuffix = 'amazonaws.com'): Location => ({
  ...{ region, partition, urlSuffix },
  account: ACCOUNT,
});

export const VIRGINIA = location('us-east-1');
const BEIJING = location('cn-north-1', 'aws-cn', 'amazonaws.com.cn');
const GOVCLOUD = location('us-gov-west-1', 'aws-us-gov');

export const keyIn = (where: Location): string =>
  `arn:${where.partition}:kms:${where.region}:${where.account}:key/0a1b2c3d-0000-4000-8000-000000000000`;

/** Options that change what is asked or what is allowed, and the location where they apply. */
export const OPTION_SETS: Readonly<Record<string, { readonly options: Context; readonly location: Location }>> = {
  default: { options: {}, location: VIRGINIA },
  functionSubnets: {
    options: { functionSubnets: 'subnet-0a1b2c3d', functionSecurityGroups: 'sg-0a1b2c3d' },
    location: VIRGINIA,
  },
  poll: { options: { eventSource: 'poll' }, location: VIRGINIA },
  kmsKeyArn: { options: { kmsKeyArn: keyIn(VIRGINIA) }, location: VIRGINIA },
  learnedTable: { options: { learnedTable: 'learned' }, location: VIRGINIA },
  learnedTableKey: {
    options: { learnedTable: 'learned', learnedTableKey: keyIn(VIRGINIA) },
    location: VIRGINIA,
  },
  volumeKeys: { options: { volumeKeys: keyIn(VIRGINIA) }, location: VIRGINIA },
  imageParameters: { options: { imageParameters: '/mine/ami' }, location: VIRGINIA },
  rebalancePolicy: { options: { rebalancePolicy: 'Replace' }, location: VIRGINIA },
  enableZonalShift: { options: { enableZonalShift: 'true' }, location: VIRGINIA },
  eventKinds: { options: { eventKinds: 'all' }, location: VIRGINIA },
  committedCapacity: {
    options: { committedCapacity: '{readReservedInstances: true}' },
    location: VIRGINIA,
  },
  nodeRoles: {
    options: { nodeRoles: 'nodes,platform/gpu-nodes', windowsNodeRoles: 'windows-nodes' },
    location: VIRGINIA,
  },
  rolePath: { options: { rolePath: '/platform/' }, location: VIRGINIA },
  China: {
    options: { kmsKeyArn: keyIn(BEIJING), eventKinds: 'all', enableZonalShift: 'true' },
    location: BEIJING,
  },
  GovCloud: { options: { eventSource: 'poll' }, location: GOVCLOUD },
};

export interface SynthesizedStack {
  readonly name: string;
  readonly options: Context;
  readonly location: Location;
  readonly resources: readonly Resource[];
}

/** The CDK merges statements with equal conditions, so that actions get resources of others. */
const MERGE_FLAG = '@aws-cdk/aws-iam:minimizePolicies';

/** Synthesizes the stack with an option set, and resolves its template. */
export function deployOptionSet(name: string, statements: 'merged' | 'unmerged' = 'merged'): SynthesizedStack {
  const set = OPTION_SETS[name];
  if (!set) throw new Error(`there is no option set ${name}`);
  const { region, account } = set.location;
  const options = { cluster: CLUSTER, region, account, ...set.options };
  const flags = { [MERGE_FLAG]: statements === 'merged' };
  const template: unknown = aTemplate(options, flags).toJSON();
  return { name, ...set, resources: deployTemplate(template, set.location) };
}
