import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import type { KubeconfigServer } from '../kubeconfig-server.ts';
import { anHttpProxy, aSocksProxy } from '../proxies.ts';
import { type Fixture, filesOf, type KubeconfigCase, programsOf, type Received } from './cases.ts';

export interface Prepared {
  readonly file: string;
  readonly text: string;
  /** The last request that has reached the server; a kubectl may ask for the version first. */
  received(): Received;
}

/** Writes a kubeconfig with the files and programs that it names, and starts the proxies. */
export async function prepare(server: KubeconfigServer, { config }: KubeconfigCase): Promise<Prepared> {
  const { url, folder, identity } = server.current;
  const [http, socks] = await Promise.all([anHttpProxy(), aSocksProxy()]);
  const fixture: Fixture = {
    ...{ url, folder, httpProxy: http.url, socksProxy: socks.url },
    ...{ certificate: identity.certificate, key: identity.key },
  };
  for (const [name, text] of Object.entries(filesOf(fixture))) await server.asFile(name, text);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const [name, script] of Object.entries(programsOf(fixture))) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env.PATH}`);
  const written = config(fixture);
  const text = typeof written === 'string' ? written : JSON.stringify(written);

  return {
    file: join(folder, await server.asFile('config', text)),
    text,
    received() {
      const { token = '', fingerprint = '' } = server.current.callers.at(-1) ?? {};
      const { path = '', as = '' } = server.current.requests.at(-1) ?? {};
      const proxied = socks.targets.length > 0 ? 'socks' : 'none';
      return {
        token: token === new URL(url).host ? 'SERVER' : token,
        hasCertificate: fingerprint !== '',
        ...{ as, path, proxy: http.targets.length > 0 ? 'http' : proxied },
      };
    },
  };
}
