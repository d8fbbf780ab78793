import { PortInUseError } from '../../console/errors.ts';
import { type ConsoleServer, startConsoleServer } from '../../console/server.ts';
import type { ConsoleSource } from '../../console/source.ts';
import { fail } from '../errors.ts';

/**
 * Serves the page on loopback.
 *
 * @param port - undefined for the first free port from 7070
 * @throws CliError - `port-in-use`
 */
export async function serveConsole(source: ConsoleSource, port: number | undefined): Promise<ConsoleServer> {
  try {
    return await startConsoleServer({ source, ...(port !== undefined && { port }) });
  } catch (cause) {
    if (!(cause instanceof PortInUseError)) throw cause;
    throw fail(
      {
        code: 'port-in-use',
        what: `port ${cause.port} is in use`,
        where: '--port',
        why: 'another program listens on it',
        fix: 'name another one, or leave --port out: the first free one from 7070 is taken',
      },
      { cause },
    );
  }
}
