import type { AwsRequest } from '../requests/request.ts';

/** EC2 writes the members of a list without the list's own name. */
const LISTS: Readonly<Record<string, string>> = {
  BlockDeviceMapping: 'BlockDeviceMappings',
  InstanceId: 'InstanceIds',
  NetworkInterface: 'NetworkInterfaces',
  ResourceId: 'Resources',
  SecurityGroupId: 'SecurityGroupIds',
  SecurityGroup: 'SecurityGroups',
  Tag: 'Tags',
  TagSpecification: 'TagSpecifications',
};

type Tree = { [name: string]: Tree | string };

/**
 * Reads the parameters of the query protocols (`TagSpecification.1.Tag.2.Key=…`) as the SDK's input.
 *
 * @see docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html
 */
export function readParameters(parameters: URLSearchParams): Omit<AwsRequest, 'service'> {
  const tree: Tree = {};
  for (const [name, value] of parameters) {
    if (name !== 'Action' && name !== 'Version') insert(tree, name.split('.'), value);
  }
  return { operation: parameters.get('Action') ?? '', input: toInput(tree) };
}

function insert(tree: Tree, [name = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const inner = tree[name];
  const branch: Tree = typeof inner === 'object' ? inner : {};
  tree[name] = branch;
  insert(branch, rest, value);
}

function toInput(tree: Tree | string): unknown {
  if (typeof tree === 'string') return tree;
  const entries = Object.entries(tree);
  // The query protocol of other services has a level `member` in lists.
  const [[first = '', inner] = []] = entries;
  if (entries.length === 1 && first === 'member' && inner !== undefined) return toInput(inner);
  if (entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name))) {
    return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, one]) => toInput(one));
  }
  const isInterface = 'SecurityGroupId' in tree && ('DeviceIndex' in tree || 'SubnetId' in tree);
  const lists = isInterface ? { ...LISTS, SecurityGroupId: 'Groups' } : LISTS;
  return Object.fromEntries(
    entries.map(([name, one]) => {
      const value = toInput(one);
      return [Array.isArray(value) ? (lists[name] ?? name) : name, value];
    }),
  );
}
