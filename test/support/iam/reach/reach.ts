import { nameOf, type SyntaxNode, visitReachedCode } from './reached-code.ts';

/** A kind of request that a process can send, and the file that builds it. */
export interface ReachedRequest {
  readonly operation: string;
  readonly file: string;
}

/** A hint that a process can send. */
export interface ReachedHint {
  readonly topic: string;
  /** False if it is sent without a time. */
  readonly mayWait: boolean;
}

export interface Reach {
  /** The files with code that can run. */
  readonly files: ReadonlySet<string>;
  readonly requests: readonly ReachedRequest[];
  readonly hints: readonly ReachedHint[];
}

/** The hints of a watch stay in the process: only `mortise controller` uses them. */
const WATCH = 'shared/kubernetes/watch/';

/** Adapters that sign requests themselves: the operation that each is for. */
const SIGNED: Readonly<Record<string, string>> = {
  'shared/aws/eks/arc-zonal-shifts.ts': 'GetManagedResource',
  'shared/aws/eks/cluster-registry.ts': 'DescribeCluster',
  'shared/aws/queues/signed-messages.ts': 'SendMessage',
};

/** Signs for its callers, which are named above. */
const SIGNER = 'shared/aws/eks/single-request.ts';

/** They pass calls of ports on, and call none themselves. */
const WRAPPERS = [
  'shared/controllers/metrics/',
  'shared/controllers/zonal-shift/shifted-zones.ts',
  'shared/composition/',
  'shared/aws/ec2/',
  'shared/kubernetes/',
  'functions/provisioning/trace-launches.ts',
];

const FULL_TABLE = 'createTableRecords';
/** Discovers offerings and prices, for catalogues. */
const CATALOGUE = ['cloud.catalogue', 'cloud.launch', 'refreshPrices'];
/** Facts of launches, which the port of EC2 reads as well. */
const LEARNED = ['unavailableOfferings.list', 'unavailableOfferings.mark', 'learnedSizes.learn', ...CATALOGUE];

/**
 * Methods whose names other methods have as well, so that a name alone would say that every process
 * calls them: the function, or the receiver and its method, through which code outside of adapters
 * sends the request.
 */
const CALLED_AS: Readonly<Record<string, readonly string[]>> = {
  'Delete shared/aws/dynamodb/table/dynamo-table.ts': ['table.remove', FULL_TABLE],
  'TransactWrite shared/aws/dynamodb/table/dynamo-table.ts': ['table.move'],
  'Query shared/aws/dynamodb/table/query-partitions.ts': ['table.list', FULL_TABLE],
  'BatchGet shared/aws/dynamodb/table/batch-get.ts': ['table.getMany'],
  'TerminateInstances shared/aws/ec2/instances/ec2-instances.ts': ['cloud.terminate'],
  'CreateTags shared/aws/ec2/instances/ec2-instances.ts': ['cloud.nameInstance'],
  'DescribeInstanceStatus shared/aws/ec2/instances/ec2-impairments.ts': ['cloud.impairments'],
  'DescribeInstanceTypeOfferings shared/aws/ec2/prices/describe-zones.ts': CATALOGUE,
  'DescribeSpotPriceHistory shared/aws/ec2/prices/spot-price-history.ts': CATALOGUE,
  'GetObject shared/aws/ec2/prices/s3-price-record-store.ts': CATALOGUE,
  'HeadObject shared/aws/ec2/prices/s3-price-record-store.ts': CATALOGUE,
  'PutObject shared/aws/ec2/prices/s3-price-record-store.ts': ['refreshPrices'],
  'CreateFleet shared/aws/ec2/launch/create-fleet.ts': ['cloud.launch'],
  'CreateLaunchTemplate shared/aws/node-class/launch-templates.ts': ['cloud.launch', 'dryRunLaunch'],
  'AddRoleToInstanceProfile shared/aws/node-class/instance-profiles.ts': ['resources.instanceProfile'],
  'CreateInstanceProfile shared/aws/node-class/instance-profiles.ts': ['resources.instanceProfile'],
  'GetInstanceProfile shared/aws/node-class/instance-profiles.ts': ['resources.instanceProfile'],
  'PutObject shared/aws/s3-record-store.ts': ['decisionLog.recordDecision'],
  'GetObject shared/aws/s3-view-store.ts': ['cluster.observe with warmKubernetesCluster'],
  'HeadObject shared/aws/s3-view-store.ts': ['cluster.storeView'],
  'PutObject shared/aws/s3-view-store.ts': ['cluster.storeView'],
  'shared/aws/dynamodb/learned-sizes.ts': LEARNED,
  'shared/aws/dynamodb/unavailable-offerings.ts': LEARNED,
};

/** Functions that an entry point never calls though its code names them. */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  // `isForLifecycle` accepts claims and changes of instances; the scope is one claim at a time.
  'functions/node-lifecycle/handler.ts': [
    'reconcileDisruption',
    'reconcileNodeClasses',
    'reconcileProvisioning',
    'sweep',
    'handleInterruption',
    'handleRebalance',
    'handleScheduledChange',
    'retryWhileFresh',
    'warmKubernetesCluster',
  ],
  'functions/interruption/handler.ts': ['warmKubernetesCluster'],
  // The sweep plans with `defersLaunches`.
  'functions/sweep/handler.ts': ['launchPlannedClaims'],
};

/**
 * Finds what a process can send to AWS: the SDK commands, paginators and signed requests in the code
 * that its entry point reaches.
 *
 * @throws Error - an adapter signs requests and is not listed above
 */
export async function findReach(entry: string): Promise<Reach> {
  const requests = new Map<string, ReachedRequest>();
  const hints = new Map<string, ReachedHint>();
  const files = new Set<string>();
  const calls = new Set<string>();
  await visitReachedCode(
    entry,
    (node, file) => {
      files.add(file);
      if (!WRAPPERS.some((folder) => file.startsWith(folder))) {
        const call = readCall(node);
        if (call !== undefined) calls.add(call);
      }
      const operation = readOperation(node, file);
      if (operation !== undefined) requests.set(`${operation} ${file}`, { operation, file });
      if (file.startsWith(WATCH)) return;
      for (const hint of readHints(node)) hints.set(JSON.stringify(hint), hint);
    },
    UNUSED[entry],
  );
  for (const name of UNUSED[entry] ?? []) calls.delete(name);
  const isCalled = (name: string): boolean =>
    CALLED_AS[name]?.some((chain) => chain.split(' with ').every((call) => calls.has(call))) ?? true;
  const used = new Set([...files].filter(isCalled));
  return {
    files: used,
    requests: [...requests.values()].filter(
      ({ operation, file }) => used.has(file) && isCalled(`${operation} ${file}`),
    ),
    hints: [...hints.values()],
  };
}

/** `cloud.terminate` of `ports.cloud.terminate`, or the name of a called function. */
function readCall({ type, object, property, callee }: SyntaxNode): string | undefined {
  if (type === 'CallExpression') return nameOf(callee);
  if (type !== 'MemberExpression' || !isNode(object)) return undefined;
  const receiver = object.type === 'MemberExpression' ? nameOf(object.property) : nameOf(object);
  return receiver === undefined ? undefined : `${receiver}.${nameOf(property)}`;
}

function readOperation({ type, callee }: SyntaxNode, file: string): string | undefined {
  const name = nameOf(callee) ?? '';
  // esbuild numbers names that several files import.
  if (type === 'NewExpression') return /^(\w+?)Command\d*$/.exec(name)?.[1];
  if (type !== 'CallExpression') return undefined;
  const paginated = /^paginate(\w+?)\d*$/.exec(name)?.[1];
  if (paginated !== undefined) return paginated;
  if (!/^(?:fetch|get)Signed\d*$/.test(name) || file === SIGNER) return undefined;
  const signed = SIGNED[file];
  if (signed === undefined) throw new Error(`${file} signs requests: say for which operation`);
  return signed;
}

/** A hint is an object with a topic; the second argument of `send` is its time. */
function readHints(node: SyntaxNode): readonly ReachedHint[] {
  if (node.type === 'CallExpression' && Array.isArray(node.arguments)) {
    const args: readonly unknown[] = node.arguments;
    const [hint, ...rest] = args;
    const topic = readTopic(hint);
    const isSend = isMember(node.callee) && nameOf(node.callee.property) === 'send';
    return topic !== undefined && isSend && rest.length > 0 ? [{ topic, mayWait: true }] : [];
  }
  const topic = readTopic(node);
  return topic === undefined ? [] : [{ topic, mayWait: false }];
}

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null && 'type' in value;
const isMember = (value: unknown): value is SyntaxNode => isNode(value) && value.type === 'MemberExpression';

function readTopic(value: unknown): string | undefined {
  if (!isNode(value) || value.type !== 'ObjectExpression' || !Array.isArray(value.properties)) {
    return undefined;
  }
  const topic: unknown = value.properties.find((one: unknown) => isNode(one) && nameOf(one.key) === 'topic');
  return isNode(topic) && isNode(topic.value) && topic.value.type === 'Literal' ? nameOf(topic.value) : undefined;
}
