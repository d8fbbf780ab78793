import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';
import { aCertificate } from '../../kubernetes/support/certificate.ts';
import { base64, kubeconfigServer, NO_CERTIFICATE, portOf, request } from './kubeconfig-server.ts';

const server = kubeconfigServer();
const { aConfig, apiOf, asFile, callWith } = server;

describe('the server of a kubeconfig cluster', () => {
  it('is trusted by the CA file next to the kubeconfig', async () => {
    const authority = await asFile('ca.crt', server.current.identity.certificate);
    await callWith({ cluster: { server: server.current.url, 'certificate-authority': authority } });

    expect(server.current.callers).toHaveLength(1);
  });

  it('never receives the token if another CA signed its certificate', async () => {
    const other = base64(aCertificate().certificate);
    const cluster = { server: server.current.url, 'certificate-authority-data': other };

    await expect(callWith({ cluster })).rejects.toThrow(ApiUnreachableError);
    expect(server.current.callers).toEqual([]);
  });

  it('is refused without certificate verification unless the caller allows it', async () => {
    const text = aConfig({
      cluster: { server: server.current.url, 'insecure-skip-tls-verify': true },
    });
    await expect(apiOf(text)).rejects.toThrow(/insecure-skip-tls-verify is true/);

    await (await apiOf(text, { allowInsecure: true })).read(request);
    expect(server.current.callers).toHaveLength(1);
  });
});

describe('the proxy of a kubeconfig cluster', () => {
  it("carries the requests, and the server's certificate is still verified", async () => {
    const targets: string[] = [];
    const proxy = createHttpServer().on('connect', ({ url: target = '' }, client) => {
      targets.push(target);
      const [host = '', port] = target.split(':');
      const upstream = connectTcp(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const port = portOf(proxy.address());
    const cluster = { server: server.current.url, 'proxy-url': `http://127.0.0.1:${port}` };

    const certificate = base64(server.current.identity.certificate);
    await callWith({ cluster: { ...cluster, 'certificate-authority-data': certificate } });
    await expect(callWith({ cluster })).rejects.toThrow(ApiUnreachableError);

    expect(targets).toEqual([new URL(server.current.url).host, new URL(server.current.url).host]);
    expect(server.current.callers).toEqual([{ token: 'secret', ...NO_CERTIFICATE }]);
    proxy.close();
  });
});

/** A SOCKS 5 proxy (RFC 1928) without authentication, which gets the names of its targets. */
async function aSocksProxy(targets: string[]): Promise<{ url: string; close(): void }> {
  const proxy = createTcpServer((client) => {
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (request: Buffer) => {
        const end = 5 + (request[4] ?? 0);
        const host = request.toString('latin1', 5, end);
        const port = request.readUInt16BE(end);
        targets.push(`${host}:${port}`);
        const upstream = connectTcp(port, '127.0.0.1', () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
      });
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const port = portOf(proxy.address());
  return { url: `socks5h://127.0.0.1:${port}`, close: () => void proxy.close() };
}

describe('a SOCKS proxy of a kubeconfig cluster', () => {
  it('carries the requests', async () => {
    const targets: string[] = [];
    const proxy = await aSocksProxy(targets);
    const url = server.current.url.replace('127.0.0.1', 'localhost');
    await callWith({
      cluster: {
        server: url,
        'proxy-url': proxy.url,
        'certificate-authority-data': base64(server.current.identity.certificate),
      },
    });

    expect(targets).toEqual([new URL(url).host]);
    expect(server.current.callers).toEqual([{ token: 'secret', ...NO_CERTIFICATE }]);
    proxy.close();
  });
});
