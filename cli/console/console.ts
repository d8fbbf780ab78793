import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { EC2Client } from '@aws-sdk/client-ec2';
import { createModelSource } from '../../console/model-source.ts';
import type { ConsoleSource } from '../../console/source.ts';
import { ec2PriceSource } from '../../shared/aws/ec2/prices/ec2-price-source.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import type { Answer } from '../answer.ts';
import { hasCredentials, toClientSettings } from '../cluster/aws-flags.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import { type ClusterChoice, reachCluster } from '../cluster/reach-cluster.ts';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../terminal/io.ts';
import { createLiveFeed } from './live-feed.ts';
import { serveConsole } from './serve-console.ts';
import { createFileFeed } from './snapshot-feed.ts';

export interface ConsoleRequest extends ClusterChoice {
  /** A snapshot file; undefined for a live cluster. */
  readonly from?: string;
  /** The port to use; undefined for the first free port from 7070. */
  readonly port?: number;
}

const clock: Clock = { now: () => Date.now() };

interface Opened {
  readonly source: ConsoleSource;
  readonly from: Answer['source'];
  readonly warnings: readonly string[];
  stop(): void;
}

/**
 * Serves the page for a live cluster or a snapshot file until it is stopped. Nothing is changed in
 * the cluster or in AWS.
 *
 * @throws CliError - those of `reachCluster`; `port-in-use`; `file-unreadable`
 */
export async function openConsole(
  request: ConsoleRequest,
  invocation: Invocation,
): Promise<Answer> {
  const { progress } = invocation;
  const opened =
    request.from === undefined
      ? await openCluster(request, invocation)
      : await openFile(request.from, invocation);
  progress.report('building the console');
  const server = await serveConsole(opened.source, request.port);
  progress.end();
  return {
    kind: 'Console',
    source: opened.from,
    complete: opened.warnings.length === 0,
    warnings: opened.warnings,
    result: { url: server.url },
    names: [],
    text: () => `Console: ${server.url}\n`,
    async afterwards(stop) {
      await new Promise<void>((resolve) => {
        if (stop.aborted) resolve();
        else stop.addEventListener('abort', () => resolve(), { once: true });
      });
      opened.stop();
      await server.close();
    },
  };
}

async function openCluster(request: ConsoleRequest, { io, progress }: Invocation): Promise<Opened> {
  progress.report('reaching the cluster');
  const choice = withDefaultKubeconfig(request, io);
  const { api, where, server } = await reachCluster(choice, {
    clock,
    env: io.env,
    needsRegion: false,
    needsNodePools: false,
  });
  progress.report(`reading ${server.cluster}`);
  const { cluster, region } = server;
  const hasPrices = region !== '' && hasCredentials(io, choice);
  const prices = hasPrices
    ? ec2PriceSource(new EC2Client(toClientSettings({ ...choice, region })), {
        clock,
        log: () => {},
      })
    : undefined;
  const feed = createLiveFeed({ api, clock, cluster, region, ...(prices && { prices }) });
  await callCluster(where, () => feed.ready);
  const { notices = [] } = await feed.observe();
  return {
    source: createModelSource(feed),
    from: { cluster },
    warnings: notices,
    stop: feed.stop,
  };
}

async function openFile(file: string, invocation: Invocation): Promise<Opened> {
  const { feed, cluster, at } = await createFileFeed(file, invocation);
  return {
    source: createModelSource(feed),
    from: { file, cluster, at },
    warnings: [],
    stop: () => undefined,
  };
}

/** Like kubectl: without a cluster's name, the kubeconfig of the environment counts. */
function withDefaultKubeconfig(choice: ConsoleRequest, { env }: Pick<Io, 'env'>): ConsoleRequest {
  if (choice.cluster !== undefined || choice.kubeconfig !== undefined) return choice;
  const listed = (env.KUBECONFIG ?? '').split(delimiter).find((path) => path !== '');
  const usual = env.HOME === undefined ? undefined : join(env.HOME, '.kube', 'config');
  const kubeconfig = listed ?? (usual !== undefined && existsSync(usual) ? usual : undefined);
  return kubeconfig === undefined ? choice : { ...choice, kubeconfig };
}
