import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { builtConsole } from './build.ts';
import { assetsIn } from './server/assets.ts';
import { listen } from './server/listen.ts';
import { createPeerCheck, type PeerCheck } from './server/peer-user.ts';
import { createConsoleApp } from './server/routes.ts';
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

  const app = createConsoleApp({ source, hub, assets, peers, token, port: () => address.port });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void answer(request, response));

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
