import { readFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { KubeConfig } from '@kubernetes/client-node';
import {
  createHttpTransport,
  type HttpTransport,
} from '../../shared/kubernetes/client/http-transport.ts';
import {
  createKubernetesApi,
  type KubernetesApi,
} from '../../shared/kubernetes/client/kubernetes-api.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { type KubeconfigContext, KubeconfigError, type KubeconfigExec } from './kubeconfig.ts';

/** The credential plugin of a kubeconfig (`users[].user.exec`) returned no credentials. */
export class CredentialPluginError extends Error {
  override readonly name = 'CredentialPluginError';
  readonly command: string;
  /** The kubeconfig's `installHint`. */
  readonly hint: string | undefined;

  constructor(
    { command, installHint }: KubeconfigExec,
    { why, ...options }: ErrorOptions & { readonly why: string },
  ) {
    super(`${command}: ${why}`, options);
    this.command = command;
    this.hint = installHint ?? undefined;
  }
}

export interface KubeconfigAccess {
  readonly api: KubernetesApi;
  /** PEM; `undefined` if the system's authorities apply, or the certificate is not checked. */
  readonly certificateAuthority?: string;
}

/**
 * Connects to the API server of a context.
 *
 * `@kubernetes/client-node`, imported on the first call, runs the credential plugin, re-reads the
 * token file and connects through the proxy. Requests go through the same client as in the
 * functions.
 *
 * @throws KubeconfigError - a file that it names cannot be read, or a field cannot be used
 * @throws CredentialPluginError
 */
export async function createKubeconfigApi(
  context: KubeconfigContext,
  { allowInsecure }: { readonly allowInsecure: boolean },
): Promise<KubeconfigAccess> {
  checkCluster(context, allowInsecure);
  checkUser(context);
  const sessions = await createSessions(context, await embedFiles(context));
  // Wrong credentials become an error now instead of at the first request.
  const { certificateAuthority } = await sessions.current();
  const api = createKubernetesApi({
    transport: async (request, signal) => (await sessions.current()).transport(request, signal),
    tokens: { token: async () => (await sessions.current()).token, renew: sessions.forget },
  });
  return { api, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) };
}

const clusterField = ({ clusterName }: KubeconfigContext, field: string): string =>
  `clusters[${clusterName}].cluster.${field}`;
const userField = ({ userName }: KubeconfigContext, field: string): string =>
  `users[${userName}].user.${field}`;

function checkCluster(context: KubeconfigContext, allowInsecure: boolean): void {
  const { server, 'proxy-url': proxyUrl, 'insecure-skip-tls-verify': isInsecure } = context.cluster;
  const refuse = (field: string, why: string): KubeconfigError =>
    new KubeconfigError({ file: context.file, field: clusterField(context, field), why });
  if (!URL.canParse(server)) throw refuse('server', `is no URL: ${server}`);
  if (proxyUrl !== undefined && !PROXY_PROTOCOL.test(protocolOf(proxyUrl))) {
    throw refuse('proxy-url', `is no URL of an http, https or socks5 proxy: ${proxyUrl}`);
  }
  if (isInsecure && !allowInsecure) {
    const why = 'is true: whoever answers at that address would get our credentials';
    throw refuse('insecure-skip-tls-verify', why);
  }
}

const PROXY_PROTOCOL = /^(https?|socks[45]?[ah]?):$/;

const protocolOf = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : '');

function checkUser(context: KubeconfigContext): void {
  const { user, file } = context;
  for (const name of ['username', 'auth-provider'] as const) {
    if (user[name] === undefined) continue;
    const why =
      'is not supported any more, here nor by Kubernetes: use exec, a token or certificates';
    throw new KubeconfigError({ file, field: userField(context, name), why });
  }
  const certificate = user['client-certificate-data'] ?? user['client-certificate'];
  const key = user['client-key-data'] ?? user['client-key'];
  if (user.exec || (certificate === undefined) === (key === undefined)) return;
  const missing = certificate === undefined ? 'client-certificate' : 'client-key';
  const why = 'is missing: the two go together';
  throw new KubeconfigError({ file, field: userField(context, missing), why });
}

/**
 * The context as a self-contained kubeconfig: absolute paths, and files as data. As with kubectl,
 * data takes precedence over a file.
 *
 * The library does not read `tokenFile`, does not set `KUBERNETES_EXEC_INFO` and starts plugins
 * from the working directory. It allows plain HTTP only together with `insecure-skip-tls-verify`;
 * our transport allows plain HTTP only to this machine.
 */
async function embedFiles(context: KubeconfigContext): Promise<string> {
  const { name, file, cluster, user } = context;
  const { exec, token, tokenFile } = user;
  const toAbsolute = (path: string): string => resolve(dirname(file), path);
  const read = async (field: string, path: string | undefined): Promise<string | undefined> => {
    try {
      return path === undefined ? undefined : await readFile(toAbsolute(path), 'base64');
    } catch (cause) {
      const why = `names ${path}, which cannot be read`;
      throw new KubeconfigError({ file, field, why }, { cause });
    }
  };
  const readUser = (field: 'client-certificate' | 'client-key' | 'tokenFile') =>
    read(userField(context, field), user[field]);

  await readUser('tokenFile');
  const embeddedCluster = {
    server: cluster.server,
    'proxy-url': cluster['proxy-url'],
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify':
      cluster['insecure-skip-tls-verify'] || protocolOf(cluster.server) === 'http:',
    'certificate-authority-data':
      cluster['certificate-authority-data'] ??
      (await read(
        clusterField(context, 'certificate-authority'),
        cluster['certificate-authority'],
      )),
  };
  const embeddedUser = {
    'client-certificate-data':
      user['client-certificate-data'] ?? (await readUser('client-certificate')),
    'client-key-data': user['client-key-data'] ?? (await readUser('client-key')),
    ...(tokenFile === undefined
      ? { token }
      : { 'auth-provider': { name: 'tokenFile', config: { tokenFile: toAbsolute(tokenFile) } } }),
  };
  return JSON.stringify({
    'current-context': name,
    contexts: [{ name, context: { cluster: 'cluster', user: 'user' } }],
    clusters: [{ name: 'cluster', cluster: embeddedCluster }],
    users: [{ name: 'user', user: exec ? { exec: prepareExec(exec, context) } : embeddedUser }],
  });
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
function prepareExec(exec: KubeconfigExec, { file, cluster }: KubeconfigContext): KubeconfigExec {
  const { apiVersion, command, env, provideClusterInfo } = exec;
  const { 'certificate-authority': _, 'proxy-url': __, ...clusterInfo } = cluster;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo ? { cluster: clusterInfo } : {}) },
  };
  return {
    ...exec,
    command: /[\\/]/.test(command) ? resolve(dirname(file), command) : command,
    env: [...(env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }],
  };
}

interface ClientCertificate {
  /** PEM, like `key`. */
  readonly cert: string;
  readonly key: string;
}

interface Session {
  /** Empty if a certificate identifies the client. */
  readonly token: string;
  readonly clientCertificate: ClientCertificate | undefined;
  readonly certificateAuthority: string | undefined;
  readonly transport: HttpTransport;
}

interface Sessions {
  /** Asks the library for credentials; the library keeps those of a plugin until they expire. */
  current(): Promise<Session>;
  /** The API server refused the credentials: the next `current` runs the plugin again. */
  forget(): void;
}

async function createSessions(context: KubeconfigContext, embedded: string): Promise<Sessions> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  let config: KubeConfig | undefined;
  let session: Session | undefined;
  let pending: Promise<Session> | undefined;

  function load(): KubeConfig {
    const loaded = new KubeConfig();
    loaded.loadFromString(embedded);
    return loaded;
  }

  function forget(): void {
    config = undefined;
    session = undefined;
  }

  async function refresh(): Promise<Session> {
    config ??= load();
    const options = await authenticate(config, context);
    const token = `${options.headers.Authorization ?? ''}`.replace(/^Bearer /, '').trim();
    const clientCertificate = certificateIn(options);
    if (!session) {
      session = { token, clientCertificate, ...connect(options, context) };
    } else if (isDeepStrictEqual(session.clientCertificate, clientCertificate)) {
      session = { ...session, token };
    } else {
      // A KubeConfig keeps the proxy agent that it made with the first certificate.
      forget();
      return await refresh();
    }
    return session;
  }

  return {
    // Requests that start together share one run of the plugin; the library would start one for each.
    current: () =>
      (pending ??= refresh().finally(() => {
        pending = undefined;
      })),
    forget,
  };
}

type AuthenticatedOptions = RequestOptions & { readonly headers: OutgoingHttpHeaders };

/** @throws CredentialPluginError */
async function authenticate(
  config: KubeConfig,
  { user: { exec } }: KubeconfigContext,
): Promise<AuthenticatedOptions> {
  const options: AuthenticatedOptions = { headers: {} };
  const apply = (): Promise<void> => config.applyToHTTPSOptions(options);
  await (exec ? runPlugin(exec, apply) : apply());
  if (exec && !options.headers.Authorization && !certificateIn(options)) {
    throw new CredentialPluginError(exec, { why: 'it gave neither a token nor a certificate' });
  }
  return options;
}

/**
 * Creates connections that show the certificate of `options`, through the cluster's proxy if it has
 * one.
 */
function connect(
  options: RequestOptions,
  { cluster }: KubeconfigContext,
): Pick<Session, 'transport' | 'certificateAuthority'> {
  const { agent, servername, rejectUnauthorized } = options;
  const certificateAuthority = toPem(options.ca);
  const clientCertificate = certificateIn(options);
  const transport = createHttpTransport({
    url: cluster.server,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(clientCertificate && { clientCertificate }),
    ...(servername === undefined ? {} : { serverName: servername }),
    ...(rejectUnauthorized === false ? { insecure: true } : {}),
    // Only a proxy needs the library's agent: our own keeps connections alive, the library's does not.
    ...(cluster['proxy-url'] !== undefined && typeof agent === 'object' ? { agent } : {}),
  });
  return { transport, certificateAuthority };
}

const PLUGIN_TIMEOUT_MS = MINUTE_MS;

/** @throws CredentialPluginError - with the last line that the plugin wrote to stderr */
async function runPlugin(exec: KubeconfigExec, run: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const timeout = sleep(PLUGIN_TIMEOUT_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error('it gave no answer within a minute');
  });
  try {
    await Promise.race([run(), timeout]);
  } catch (cause) {
    throw new CredentialPluginError(exec, { why: whyPluginFailed(cause), cause });
  } finally {
    stop.abort();
  }
}

/** The library parses the plugin's output as JSON and reads its `status` without a check. */
function whyPluginFailed(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof TypeError) {
    return 'its answer is no ExecCredential';
  }
  const lastLine = error instanceof Error ? error.message.trim().split('\n').at(-1) : undefined;
  return lastLine || 'it failed without a message';
}

function certificateIn(options: RequestOptions): ClientCertificate | undefined {
  const [cert, key] = [toPem(options.cert), toPem(options.key)];
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

const toPem = (value: RequestOptions['cert'] | RequestOptions['key']): string | undefined =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined;
