import type { Server } from 'node:http';
import { PortInUseError } from '../errors.ts';

const FIRST_PORT = 7070;
const TRIES = 50;

/**
 * @param port - the port to use; 0 for any free one; undefined for the first free one from 7070
 * @returns the port on 127.0.0.1
 * @throws PortInUseError - the port is in use
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
