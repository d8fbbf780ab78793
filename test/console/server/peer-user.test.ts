import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createPeerCheck, findSocketUser } from '../../../console/server/peer-user.ts';
import { startConsoleServer } from '../../../console/server.ts';
import { stillSource } from '../support/still-source.ts';

const HEADER = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (local: string, remote: string, user: number): string =>
  `   0: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${user}        0 28120 1 0 20 4 30 10 -1`;
const tableOf = (...lines: readonly string[]): string => [HEADER, ...lines, ''].join('\n');

const PEER = { address: '127.0.0.1', port: 50_000 };
const OWN = { address: '127.0.0.1', port: 7_070 };
// Ports 50000 and 7070.
const OUTWARD = ['0100007F:C350', '0100007F:1B9E'] as const;

describe('the user of a connection', () => {
  it.each([
    ['IPv4', tableOf(line(...OUTWARD, 1001))],
    ['an IPv6 socket', tableOf(line(...toIpv6(OUTWARD), 1001))],
    ['a machine of the other byte order', tableOf(line('7F000001:C350', '7F000001:1B9E', 1001))],
  ])('is found in the table of %s', (_, table) => {
    expect(findSocketUser(table, PEER, OWN)).toBe(1001);
  });

  it.each([
    ['the own end of the connection', line(OUTWARD[1], OUTWARD[0], 1001)],
    ['another address with the same ports', line('0200007F:C350', OUTWARD[1], 1001)],
    ['another port', line('0100007F:C351', OUTWARD[1], 1001)],
  ])('is not that of %s', (_, other) => {
    expect(findSocketUser(tableOf(other), PEER, OWN)).toBeUndefined();
  });
});

function toIpv6([local, remote]: readonly [string, string]): readonly [string, string] {
  const prefix = '0000000000000000FFFF0000';
  return [`${prefix}${local}`, `${prefix}${remote}`];
}

describe('the console', () => {
  const statusWith = async (peers: ReturnType<typeof createPeerCheck>): Promise<number> => {
    const server = await startConsoleServer({ source: stillSource().source, port: 0, peers });
    const { status } = await fetch(`${server.url}/api/state`);
    await server.close();
    return status;
  };
  /** The table of this machine, as if this user had opened every connection. */
  const withUser = (user: number) => async (): Promise<string> => {
    const text = await readFile('/proc/net/tcp', 'utf8');
    return text.replace(/^(\s*\d+:(?:\s+\S+){6}\s+)\d+/gm, `$1${user}`);
  };

  it.runIf(process.platform === 'linux')('answers its own user and root', async () => {
    expect(await statusWith(createPeerCheck())).toBe(200);
    expect(await statusWith(createPeerCheck(1001, withUser(1001)))).toBe(200);
    expect(await statusWith(createPeerCheck(1001, withUser(0)))).toBe(200);
  });

  it.runIf(process.platform === 'linux')('refuses another user of the machine', async () => {
    expect(await statusWith(createPeerCheck(1001, withUser(1002)))).toBe(403);
    expect(await statusWith(createPeerCheck(1001, async () => tableOf()))).toBe(403);
  });

  it('answers every local user if the system does not report the user of a connection', async () => {
    const unreadable = async (): Promise<string> => {
      throw new Error('ENOENT');
    };
    expect(await statusWith(createPeerCheck(1001, unreadable))).toBe(200);
    expect(await statusWith(createPeerCheck('unknown', async () => tableOf()))).toBe(200);
  });
});
