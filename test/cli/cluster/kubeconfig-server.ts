import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, vi } from 'vitest';
import { readKubeconfig } from '../../../cli/cluster/kubeconfig.ts';
import { createKubeconfigApi } from '../../../cli/cluster/kubeconfig-access.ts';
import type { KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { aCertificate, type Identity } from '../../kubernetes/support/certificate.ts';
import { NOON } from '../../support/builders.ts';

export const request = { verb: 'list', resource: 'nodes', path: '/api/v1/nodes' } as const;
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The fingerprint of a caller without a client certificate. */
export const NO_CERTIFICATE = { fingerprint: '' };

/** The fields of a kubeconfig that differ from a valid one with a token. */
interface Over {
  readonly cluster?: object;
  readonly user?: object;
}

/** An HTTPS server in the place of the API server, and the folder of the kubeconfig. */
interface RunningServer {
  readonly url: string;
  readonly folder: string;
  readonly identity: Identity;
  /** The credentials of each request. */
  readonly callers: { readonly token: string; readonly fingerprint: string }[];
  /** The paths and impersonated users of the requests. */
  readonly requests: { readonly path: string; readonly as: string }[];
  /** The server answers 401 to this token. */
  refusedToken: string;
  stop(): Promise<void>;
}

/** The server of the running test, with kubeconfigs for it. */
export interface KubeconfigServer {
  readonly current: RunningServer;
  aConfig(over?: Over): string;
  apiOf(text: string, options?: { readonly allowInsecure?: boolean }): Promise<KubernetesApi>;
  /** Sends one request with the credentials of such a kubeconfig. */
  callWith(over: Over): Promise<void>;
  /** Writes a file next to the kubeconfig and returns its name. */
  asFile(name: string, text: string): Promise<string>;
}

/** Starts a server for each test of the file, at noon. */
export function kubeconfigServer(): KubeconfigServer {
  let running: RunningServer | undefined;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    running = await startServer();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await running?.stop();
  });

  const getCurrent = (): RunningServer => {
    if (!running) throw new Error('the server runs during a test only');
    return running;
  };
  const aConfig = (over?: Over): string => writeConfig(getCurrent(), over);
  const apiOf: KubeconfigServer['apiOf'] = async (text, { allowInsecure = false } = {}) => {
    const context = readKubeconfig(text, { file: join(getCurrent().folder, 'config') });
    return (await createKubeconfigApi(context, { allowInsecure, userAgent: 'test' })).api;
  };
  return {
    get current() {
      return getCurrent();
    },
    aConfig,
    apiOf,
    async callWith(over) {
      await (await apiOf(aConfig(over))).read(request);
    },
    async asFile(name, text) {
      await writeFile(join(getCurrent().folder, name), text);
      return name;
    },
  };
}

const writeConfig = ({ url, identity }: RunningServer, { cluster, user = { token: 'secret' } }: Over = {}): string =>
  JSON.stringify({
    'current-context': 'shop',
    contexts: [{ name: 'shop', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      {
        name: 'c',
        cluster: cluster ?? {
          server: url,
          'certificate-authority-data': base64(identity.certificate),
        },
      },
    ],
    users: [{ name: 'u', user }],
  });

async function startServer(): Promise<RunningServer> {
  const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  const identity = aCertificate();
  const tls = { cert: identity.certificate, key: identity.key, requestCert: true };
  const server = createServer({ ...tls, rejectUnauthorized: false }, (call, response) => {
    const { fingerprint256: fingerprint = '' } = asTls(call.socket).getPeerCertificate();
    const token = (call.headers.authorization ?? '').replace('Bearer ', '');
    running.callers.push({ token, fingerprint });
    running.requests.push({
      path: new URL(call.url ?? '/', 'https://server').pathname,
      as: String(call.headers['impersonate-user'] ?? ''),
    });
    if (token !== '' && token === running.refusedToken) response.statusCode = 401;
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const running: RunningServer = {
    url: `https://127.0.0.1:${portOf(server.address())}`,
    folder,
    identity,
    callers: [],
    requests: [],
    refusedToken: '',
    async stop() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
  return running;
}

export const portOf = (address: string | { readonly port: number } | null): number =>
  typeof address === 'object' && address ? address.port : 0;

export function asTls(socket: object): TLSSocket {
  if (socket instanceof TLSSocket) return socket;
  throw new TypeError('no TLS');
}
