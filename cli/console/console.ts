import { createModelSource } from '../../console/model-source.ts';
import type { Answer } from '../answer.ts';
import type { Invocation } from '../invocation.ts';
import type { ConsoleRequest, OpenedSource } from './opened-source.ts';
import { serveConsole } from './serve-console.ts';
import { createFileFeed } from './snapshot-feed.ts';

/**
 * Serves the page for a live cluster or a snapshot file until it is stopped. Nothing is changed in
 * the cluster or in AWS.
 *
 * @throws CliError - those of `reachCluster`; `port-in-use`; `file-unreadable`
 */
export async function openConsole(request: ConsoleRequest, invocation: Invocation): Promise<Answer> {
  const { progress } = invocation;
  const opened =
    request.from === undefined
      ? await (await import('./open-cluster.ts')).openCluster(request, invocation)
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

async function openFile(file: string, invocation: Invocation): Promise<OpenedSource> {
  const { feed, cluster, at } = await createFileFeed(file, invocation);
  return {
    source: createModelSource(feed),
    from: { file, cluster, at },
    warnings: [],
    stop: () => undefined,
  };
}
