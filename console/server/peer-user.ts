import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { getOrCreate } from '../../shared/model/memo.ts';

/*
 * Loopback is open to every user of a machine, and the page shows what the kubeconfig of one user may
 * read. The table of TCP sockets that Linux keeps has the user of each end of a connection.
 * Other systems do not tell; there every local user can open the page.
 */

/** The sockets that a system lists, for IPv4 and for IPv4 through IPv6. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

const ROOT = 0;

/** One end of a connection: an IPv4 address and a port. */
interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * Finds the user whose socket is connected from `peer` to `own`.
 *
 * @param table - the text of a table of `TABLES`
 */
export function findSocketUser(table: string, peer: Endpoint, own: Endpoint): number | undefined {
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', remote = '', , , , , user = ''] = line.trim().split(/\s+/);
    if (isEndpoint(local, peer) && isEndpoint(remote, own)) return Number(user);
  }
  return undefined;
}

/** `0100007F:1B9E`: the address in the byte order of the machine, then the port. */
function isEndpoint(written: string, { address, port }: Endpoint): boolean {
  const [hexAddress = '', hexPort = ''] = written.split(':');
  if (Number.parseInt(hexPort, 16) !== port) return false;
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  const text = hexAddress.toLowerCase();
  return [bytes.join(''), bytes.toReversed().join('')].some((hex) => text.endsWith(hex));
}

/** Reads a table of the system; throws where there is none. */
export type ReadTable = (path: string) => Promise<string>;

export interface PeerCheck {
  /** True if the user of this process, or root, opened the connection, or if the system does not tell. */
  isOwnUser(socket: Socket): Promise<boolean>;
}

/** Reads the tables once for each connection. */
export function createPeerCheck(
  ownUser: number | 'unknown' = process.getuid?.() ?? 'unknown',
  read: ReadTable = (path) => readFile(path, 'utf8'),
): PeerCheck {
  const checks = new WeakMap<Socket, Promise<boolean>>();

  async function check(socket: Socket): Promise<boolean> {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    const tables = await Promise.all(TABLES.map((path) => read(path).catch(() => undefined)));
    if (ownUser === 'unknown' || tables[0] === undefined) return true;
    const peer = { address: remoteAddress ?? '', port: remotePort ?? 0 };
    const own = { address: localAddress ?? '', port: localPort ?? 0 };
    const users = tables.map((table = '') => findSocketUser(table, peer, own));
    return users.some((user) => user === ownUser || user === ROOT);
  }

  return { isOwnUser: (socket) => getOrCreate(checks, socket, () => check(socket)) };
}
