import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { portOf } from './kubeconfig-server.ts';

/** A proxy on loopback until the end of the test, with the targets that it was asked for. */
export interface Proxy {
  readonly url: string;
  readonly targets: readonly string[];
}

/** A proxy that answers `CONNECT`. */
export async function anHttpProxy(): Promise<Proxy> {
  const targets: string[] = [];
  const proxy = createHttpServer().on('connect', ({ url: target = '' }, client) => {
    targets.push(target);
    const [host = '', port] = target.split(':');
    const upstream = connectTcp(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) socket.on('error', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${portOf(proxy.address())}`, targets };
}

/** A SOCKS 5 proxy (RFC 1928) without authentication. */
export async function aSocksProxy(): Promise<Proxy> {
  const targets: string[] = [];
  const proxy = createTcpServer((client) => {
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (request: Buffer) => {
        const { host, port } = readTarget(request);
        targets.push(`${host}:${port}`);
        const upstream = connectTcp(port, '127.0.0.1', () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
        for (const socket of [client, upstream]) socket.on('error', () => upstream.destroy());
      });
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return { url: `socks5://127.0.0.1:${portOf(proxy.address())}`, targets };
}

const IPV4 = 1;

/** The target is an IPv4 address, or a name behind its length. */
function readTarget(request: Buffer): { readonly host: string; readonly port: number } {
  if (request[3] === IPV4) {
    return { host: [...request.subarray(4, 8)].join('.'), port: request.readUInt16BE(8) };
  }
  const end = 5 + (request[4] ?? 0);
  return { host: request.toString('latin1', 5, end), port: request.readUInt16BE(end) };
}
