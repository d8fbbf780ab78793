import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createEksApi } from '../../shared/composition/eks-api.ts';
import { collectionPath, NODE_POOLS } from '../../shared/kubernetes/client/api-resources.ts';
import { type ApiRequest, formatUserAgent, type KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import { fail, whyUnreadable } from '../errors.ts';
import { VERSION as OWN_VERSION } from '../version.ts';
import { type AwsFlags, toClientSettings } from './aws-flags.ts';
import { callAws } from './aws-problems.ts';
import { type ClusterEndpoint, findCluster, type ServerOverrides } from './find-cluster.ts';
import { type KubeconfigContext, readKubeconfig } from './kubeconfig.ts';
import { createKubeconfigApi } from './kubeconfig-access.ts';
import { callCluster } from './kubernetes-problems.ts';

/** Selects a cluster: by its name through EKS, or through a kubeconfig. */
export interface ClusterChoice extends AwsFlags {
  readonly cluster?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** True if a kubeconfig may switch off the check of the server's certificate. */
  readonly allowInsecure: boolean;
}

/** A cluster that has answered a request. */
export interface ReachedCluster {
  readonly api: KubernetesApi;
  /** The cluster and the way to reach it, for messages. */
  readonly where: string;
  readonly server: ClusterEndpoint;
}

export interface ReachOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>> & ServerOverrides;
  /** Names the command to the API server; `undefined` for one that is run by hand. */
  readonly component?: 'controller' | 'console';
  /** False accepts a kubeconfig without an AWS region; the region is then empty. */
  readonly needsRegion?: boolean;
  /** Changes how the cluster is read, for commands that accept gaps. */
  readonly wrapApi?: (api: KubernetesApi) => KubernetesApi;
  /** False accepts a cluster without NodePools, or without rights to list them. */
  readonly needsNodePools?: boolean;
}

/**
 * Finds the API server and checks that it answers and accepts our identity.
 *
 * @throws CliError - those of `callAws` and `callCluster`, `not-found`, `bad-value`
 */
export async function reachCluster(choice: ClusterChoice, options: ReachOptions): Promise<ReachedCluster> {
  const direct = await (choice.kubeconfig === undefined
    ? reachThroughEks(choice, options)
    : reachThroughKubeconfig({ ...choice, kubeconfig: choice.kubeconfig }, options));
  const reached = options.wrapApi ? { ...direct, api: options.wrapApi(direct.api) } : direct;
  await callCluster(reached.where, () => reached.api.read(options.needsNodePools === false ? VERSION : ANY_NODE_POOL));
  return reached;
}

/** Most commands can do nothing without the NodePool CRD. */
const ANY_NODE_POOL: ApiRequest = {
  verb: 'list',
  resource: NODE_POOLS.name,
  path: collectionPath(NODE_POOLS),
  query: { limit: '1' },
};
const VERSION: ApiRequest = { verb: 'get', resource: 'version', path: '/version' };

const toUserAgent = ({ component }: Pick<ReachOptions, 'component'>): string =>
  formatUserAgent(OWN_VERSION, component ?? 'cli');

async function reachThroughEks(
  choice: ClusterChoice,
  { clock, env, ...options }: ReachOptions,
): Promise<ReachedCluster> {
  if (!choice.cluster || choice.context !== undefined) {
    throw fail({
      code: 'bad-value',
      what: choice.cluster ? '--context needs a kubeconfig' : 'no cluster is named',
      where: choice.cluster ? '--context' : '--cluster',
      fix: '--cluster NAME, or --kubeconfig FILE [--context NAME]',
    });
  }
  const server = await findCluster(choice.cluster, choice, env);
  const client = new DynamoDBClient(toClientSettings(choice));
  const where = `API server of ${server.cluster}, ${server.endpoint}`;
  const userAgent = toUserAgent(options);
  return { api: createEksApi(server, { clock, client, userAgent }), where, server };
}

async function reachThroughKubeconfig(
  choice: ClusterChoice & { readonly kubeconfig: string },
  { env, needsRegion = true, ...options }: ReachOptions,
): Promise<ReachedCluster> {
  const { allowInsecure } = choice;
  const context = await readContext(choice);
  const where = `API server of context ${context.name}, ${context.cluster.server}`;
  const access = await callCluster(where, () =>
    createKubeconfigApi(context, { allowInsecure, userAgent: toUserAgent(options) }),
  );
  const client = new DynamoDBClient(toClientSettings(choice));
  const region = await callAws(where, () => client.config.region(), {
    answer: () => (needsRegion ? undefined : ''),
  });
  return {
    api: access.api,
    where,
    server: {
      cluster: choice.cluster ?? env.CLUSTER_NAME ?? toClusterName(context),
      region,
      endpoint: env.CLUSTER_ENDPOINT || context.cluster.server,
      certificateAuthority:
        env.CLUSTER_CA_BUNDLE === undefined
          ? (access.certificateAuthority ?? '')
          : Buffer.from(env.CLUSTER_CA_BUNDLE, 'base64').toString(),
      ...(env.SERVICE_CIDR !== undefined && { serviceCidr: env.SERVICE_CIDR }),
    },
  };
}

/**
 * Reads the context that a kubeconfig gives to a choice.
 *
 * @throws CliError - `file-unreadable`, and those of `callCluster`
 */
export async function readContext({
  kubeconfig: file,
  context,
}: Pick<ClusterChoice, 'context'> & { readonly kubeconfig: string }): Promise<KubeconfigContext> {
  const text = await readText(file);
  return await callCluster(file, async () => readKubeconfig(text, { file, ...(context !== undefined && { context }) }));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw fail(
      {
        code: 'file-unreadable',
        what: `cannot open ${file}`,
        where: '--kubeconfig',
        why: whyUnreadable(cause),
        fix: 'check the path',
      },
      { cause },
    );
  }
}

/** `aws eks update-kubeconfig` uses the cluster's ARN as its name. */
const toClusterName = ({ clusterName }: KubeconfigContext): string => basename(clusterName);
