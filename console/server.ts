import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { builtConsole } from './build.ts';
import { assetsIn } from './server/assets.ts';
import { isLocalRequest } from './server/guard.ts';
import { listen } from './server/listen.ts';
import { createPeerCheck, type PeerCheck } from './server/peer-user.ts';
import { answer } from './server/routes.ts';
import { sendText } from './server/send.ts';
import { streamHub } from './server/stream-hub.ts';
import type { ConsoleSource } from './source.ts';

const LAST_MESSAGE_MS = 100;

export interface ConsoleServerOptions {
  readonly source: ConsoleSource;
  /** The port to use; undefined for the first free port from 7070. */
  readonly port?: number;
  /** Default: connections of other users of the machine are refused. */
  readonly peers?: PeerCheck;
}

export interface ConsoleServer {
  /** `http://127.0.0.1:7070`. */
  readonly url: string;
  readonly port: number;
  /** @param restarts - true tells the pages that another server follows at once */
  close(restarts?: boolean): Promise<void>;
}

/**
 * Serves the page and its data on loopback only, to the user that started it.
 *
 * @throws PortInUseError - the requested port is in use
 */
export async function startConsoleServer({
  source,
  port,
  peers = createPeerCheck(),
}: ConsoleServerOptions): Promise<ConsoleServer> {
  const assets = assetsIn(await builtConsole());
  const { info } = await source.state();
  const hub = streamHub(source, info.instance);
  const token = randomBytes(24).toString('base64url');
  const address = { port: 0 };

  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    if (!isLocalRequest(request, address.port)) {
      return sendText(response, 403, 'This page answers its own machine only.');
    }
    if (!(await peers.isOwnUser(request.socket))) {
      return sendText(response, 403, 'This page answers only the user that started it.');
    }
    await answer({ source, hub, assets, token }, request, response);
  };
  const server = createServer((request, response) => {
    onRequest(request, response).catch(() => {
      if (!response.headersSent) sendText(response, 500, 'The console could not answer.');
      else response.destroy();
    });
  });

  address.port = await listen(server, port);
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async close(restarts = false) {
      hub.close(restarts);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // Pages that still read their last message get a moment for it.
      const ending = setTimeout(() => server.closeAllConnections(), LAST_MESSAGE_MS);
      await closed;
      clearTimeout(ending);
    },
  };
}
