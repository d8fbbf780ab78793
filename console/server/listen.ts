import type { Server } from 'node:http';
import { PortInUseError } from '../errors.ts';

const FIRST_PORT = 7070;
const TRIES = 50;

/**
 * @param port - exactly this one; 0: any free one; absent: the first free one from 7070 on
 * @returns the port it listens on, on 127.0.0.1
 * @throws PortInUseError - it is taken
 */
export async function listen(server: Server, port: number | undefined): Promise<number> {
  if (port !== undefined) return listenOn(server, port);
  for (let candidate = FIRST_PORT; candidate < FIRST_PORT + TRIES; candidate += 1) {
    try {
      return await listenOn(server, candidate);
    } catch (error) {
      if (!(error instanceof PortInUseError)) throw error;
    }
  }
  throw new PortInUseError(FIRST_PORT);
}

const listenOn = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? new PortInUseError(port, { cause }) : cause);
    };
    server.once('error', onError);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', onError);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
