import * as z from 'zod';
import { SHARED_PARTITION_KEY } from '../../../../shared/aws/dynamodb/table/shared-partition-key.ts';
import type { TestedRequest } from '../recording/recordings.ts';
import type { Location } from './deployed-template.ts';
import { ACCOUNT, CLUSTER } from './option-sets.ts';

/** The variables of a process name the resources that its requests are for. */
export type Environment = Readonly<Record<string, string>>;

export interface Destination {
  readonly location: Location;
  readonly environment: Environment;
  readonly nodeRoles: readonly string[];
  /** The queue whose messages start a function. */
  readonly ownQueue?: string;
  /** The customer key that launches may use for volumes. */
  readonly volumeKey?: string;
  /** The parameter of the account that EC2NodeClasses may name. */
  readonly imageParameter?: string;
}

/** Parameters that belong to no account. */
const isPublicParameter = (name: string): boolean => name.startsWith('/aws/service/');

/** EC2NodeClasses may name a parameter of the account only if an option names it. */
export const isReadable = (
  { service, operation, input }: TestedRequest,
  { imageParameter }: Pick<Destination, 'imageParameter'>,
): boolean =>
  service !== 'ssm' ||
  operation !== 'GetParameter' ||
  imageParameter !== undefined ||
  isPublicParameter(z.object({ Name: z.string() }).parse(input).Name);

/** Adapters of rows that clusters may share. */
const SHARED_ROWS = ['unavailable-offerings.ts', 'learned-sizes.ts'].map((file) => `shared/aws/dynamodb/${file}`);

const isLearned = ({ files }: TestedRequest): boolean => SHARED_ROWS.some((file) => files.includes(file));

/** Learned rows are in the table that clusters share if there is one, else in the cluster's own. */
export const isInTableOf = (request: TestedRequest, { LEARNED_TABLE }: Environment): boolean =>
  !isLearned(request) || JSON.stringify(request.input).includes(SHARED_PARTITION_KEY) === (LEARNED_TABLE !== undefined);

/** Adapters for one function, by the variable that names it. */
const FUNCTION_NAMES: Readonly<Record<string, string>> = {
  'shared/aws/hooks/lambda-hook-intake.ts': 'INTAKE_FUNCTION',
  'shared/aws/hooks/lambda-hooks-requests.ts': 'WEBHOOK_CONTROL_FUNCTION',
  'functions/webhook-control/ports.ts': 'SETUP_FUNCTION',
};

/**
 * Rewrites what a test has sent to resources of its own to those of a process. Tests name tables, queues
 * and clusters as they like.
 */
export function placeRequest(request: TestedRequest, to: Destination): TestedRequest {
  const { environment } = to;
  const learned = isLearned(request) ? environment.LEARNED_TABLE : undefined;
  const variable = request.files.flatMap((file) => FUNCTION_NAMES[file] ?? [])[0] ?? '';

  const names: Readonly<Record<string, string | undefined>> = {
    TableName: learned ?? environment.STATE_TABLE,
    Bucket: environment.SNAPSHOT_BUCKET,
    SecretId: environment.HOOK_TOKEN_SECRET,
    EventBusName: environment.EVENT_BUS,
    QueueName: environment.INTERRUPTION_QUEUE,
    StackName: `Mortise-${CLUSTER}`,
    resourceIdentifier: environment.CLUSTER_ARN,
    clusterName: CLUSTER,
    name: request.service === 'eks' ? CLUSTER : undefined,
    FunctionName: environment[variable],
    RoleName: to.nodeRoles[0]?.split('/').at(-1),
    principalArn: request.files.includes('shared/aws/eks/administrator-access.ts')
      ? environment.ROLE_ARN
      : to.nodeRoles[0],
  };
  const pk = (text: string): string =>
    learned === undefined
      ? text.replace(/^[^#]+#[^#]+/, `Cluster#${CLUSTER}`)
      : text.replace(/^[^#]+#[^#]+/, SHARED_PARTITION_KEY);

  function location(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value.map((one) => location(one, key));
    if (typeof value === 'string') {
      if (key === 'QueueUrl') return placeQueue(request, value, to);
      if (key === 'KmsKeyId') return to.volumeKey;
      if (key === 'Name' && request.service === 'ssm' && !isPublicParameter(value)) return to.imageParameter;
      if (key === 'pk' || key === ':pk') return pk(value);
      return names[key] ?? placeText(value, key, to.location);
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([inner, one]) => {
        // The keys of a batch are names of tables.
        const name = key === 'RequestItems' ? (names.TableName ?? inner) : inner;
        return [name, isTag(value) ? placeTag(value, inner, one, to.location) : location(one, inner)];
      }),
    );
  }

  return { ...request, input: location(request.input, '') };
}

const QUEUES = ['plan', 'disrupt', 'claim', 'sweep', 'interruption', 'class'] as const;
const isQueueName = (name: string): boolean => QUEUES.some((queue) => queue === name);

/** The topic of a queue that a test has created: `…/c3-plan.fifo`. */
export function queueTopic(url: string): string | undefined {
  const name =
    url
      .split(/[/-]/)
      .at(-1)
      ?.replace(/\.fifo$/, '')
      .toLowerCase() ?? '';
  return isQueueName(name) ? name : undefined;
}

/** Another queue is that of the poll loop. The intake sends notices to the queue of claims. */
function placeQueue({ operation, files }: TestedRequest, url: string, { environment, ownQueue }: Destination): string {
  if (operation.startsWith('ChangeMessageVisibility')) return ownQueue ?? url;
  if (files.some((file) => file.startsWith('cli/controller/'))) {
    return `https://sqs/${ACCOUNT}/${environment.INTERRUPTION_QUEUE ?? ''}`;
  }
  const topic = queueTopic(url) ?? 'poll';
  const isIntake = files.includes('shared/aws/queues/signed-messages.ts');
  const name = isIntake && topic === 'interruption' ? 'claim' : topic;
  return environment[`${name.toUpperCase()}_QUEUE`] ?? url;
}

/** Regions and clusters in paths. */
function placeText(text: string, key: string, { region }: Location): string {
  if (key !== 'Path' && key !== 'PathPrefix') return text;
  return text.replace(/^\/karpenter\/[^/]+\/[^/]+\//, `/karpenter/${region}/${CLUSTER}/`);
}

const isTag = (value: object): value is { readonly Key: unknown } => 'Key' in value && 'Value' in value;

function placeTag(tag: { readonly Key: unknown }, field: string, value: unknown, location: Location): unknown {
  const key = String(tag.Key);
  if (field === 'Key') return key.replace(/^kubernetes\.io\/cluster\/.*/, `kubernetes.io/cluster/${CLUSTER}`);
  if (key === 'eks:eks-cluster-name') return CLUSTER;
  return key === 'topology.kubernetes.io/region' ? location.region : value;
}
