import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';
import { aCertificate, type Identity } from '../../kubernetes/support/certificate.ts';
import { base64, kubeconfigServer, NO_CERTIFICATE, request } from './kubeconfig-server.ts';
import { anHttpProxy, aSocksProxy } from './proxies.ts';

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
    const { url, targets } = await anHttpProxy();
    const cluster = { server: server.current.url, 'proxy-url': url };

    const certificate = base64(server.current.identity.certificate);
    await callWith({ cluster: { ...cluster, 'certificate-authority-data': certificate } });
    await expect(callWith({ cluster })).rejects.toThrow(ApiUnreachableError);

    expect(targets).toEqual([new URL(server.current.url).host, new URL(server.current.url).host]);
    expect(server.current.callers).toEqual([{ token: 'secret', ...NO_CERTIFICATE }]);
  });

  it('can be a SOCKS proxy that resolves the name of the server', async () => {
    const proxy = await aSocksProxy();
    const url = server.current.url.replace('127.0.0.1', 'localhost');
    await callWith({
      cluster: {
        server: url,
        'proxy-url': proxy.url.replace('socks5:', 'socks5h:'),
        'certificate-authority-data': base64(server.current.identity.certificate),
      },
    });

    expect(proxy.targets).toEqual([new URL(url).host]);
    expect(server.current.callers).toEqual([{ token: 'secret', ...NO_CERTIFICATE }]);
  });

  it('gets connections with a new client certificate when the file of the old one is replaced', async () => {
    const [first, second] = [server.current.identity, aCertificate()];
    const write = async ({ certificate, key }: Identity) => {
      await asFile('me.crt', certificate);
      await asFile('me.key', key);
    };
    await write(first);
    const { url, targets } = await anHttpProxy();
    const authority = base64(server.current.identity.certificate);
    const api = await apiOf(
      aConfig({
        cluster: {
          server: server.current.url,
          'proxy-url': url,
          'certificate-authority-data': authority,
        },
        user: { 'client-certificate': 'me.crt', 'client-key': 'me.key' },
      }),
    );
    await api.read(request);
    await write(second);
    await api.read(request);

    expect(server.current.callers.map(({ fingerprint }) => fingerprint)).toEqual(
      [first, second].map(({ certificate }) => new X509Certificate(certificate).fingerprint256),
    );
    expect(targets).toHaveLength(2);
  });
});
