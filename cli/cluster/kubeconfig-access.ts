import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { KubeConfig } from '@kubernetes/client-node';
import {
  type ApiServerEndpoint,
  createHttpTransport,
  type HttpTransport,
  isLoopback,
} from '../../shared/kubernetes/client/http-transport.ts';
import { createKubernetesApi, type KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { shareWhileRunning } from '../../shared/model/concurrency.ts';
import { CredentialPluginError, isMissingFile, type KubeconfigContext, KubeconfigError } from './kubeconfig.ts';
import { limitPlugin } from './limit-plugin.ts';

export interface KubeconfigAccess {
  readonly api: KubernetesApi;
  /** PEM; `undefined` if the system's authorities apply, or the certificate is not checked. */
  readonly certificateAuthority?: string;
}

/**
 * Connects to the API server of a context, as kubectl does. `@kubernetes/client-node` reads
 * certificates and token files, runs the credential plugin and connects through the proxy. Requests
 * go through the same client as in the functions. The library is imported on the first call.
 *
 * @throws KubeconfigError - a file that it names cannot be read, or a field cannot be used
 * @throws CredentialPluginError
 */
export async function createKubeconfigApi(
  context: KubeconfigContext,
  { allowInsecure, userAgent }: { readonly allowInsecure: boolean; readonly userAgent: string },
): Promise<KubeconfigAccess> {
  checkCluster(context, allowInsecure);
  checkUser(context);
  const sessions = await createSessions(context);
  // Wrong credentials become an error now instead of at the first request.
  const { certificateAuthority } = (await sessions.current()).endpoint;
  const { as: impersonatedUser } = context.user;
  const identity = impersonatedUser ? { 'impersonate-user': impersonatedUser } : {};
  const api = createKubernetesApi({
    userAgent,
    transport: async (request, signal) => {
      const headers = { ...request.headers, ...identity };
      return (await sessions.current()).transport({ ...request, headers }, signal);
    },
    tokens: { token: async () => (await sessions.current()).token, renew: sessions.forget },
  });
  return { api, ...(certificateAuthority !== undefined && { certificateAuthority }) };
}

const clusterField = ({ clusterName }: KubeconfigContext, field: string): string =>
  `clusters[${clusterName}].cluster.${field}`;
const userField = ({ userName }: KubeconfigContext, field: string): string => `users[${userName}].user.${field}`;

function checkCluster(context: KubeconfigContext, allowInsecure: boolean): void {
  const { server, 'proxy-url': proxyUrl, 'insecure-skip-tls-verify': isInsecure } = context.cluster;
  const refuse = (field: string, why: string): KubeconfigError =>
    new KubeconfigError({ file: context.file, field: clusterField(context, field), why });
  if (!/^https?:$/.test(protocolOf(server))) {
    throw refuse('server', `is no URL of the form https://HOST: ${server}`);
  }
  if (protocolOf(server) === 'http:' && !isLoopback(new URL(server))) {
    throw refuse('server', `would get our credentials unencrypted: ${server}`);
  }
  if (hasBoth(context.cluster, 'certificate-authority')) {
    throw refuse('certificate-authority', IS_TWICE);
  }
  if (proxyUrl && !PROXY_PROTOCOL.test(protocolOf(proxyUrl))) {
    throw refuse('proxy-url', `is no URL of an http, https or socks5 proxy: ${proxyUrl}`);
  }
  if (isInsecure && !allowInsecure) {
    const why = 'is true: any server at that address would get our credentials';
    throw refuse('insecure-skip-tls-verify', why);
  }
}

const IS_TWICE = 'is a file, and the same field with -data is set too: remove one of them';

/** kubectl refuses both, too. */
const hasBoth = <Name extends string>(
  fields: { readonly [Key in Name | `${Name}-data`]?: string },
  name: Name,
): boolean => Boolean(fields[name] && fields[`${name}-data`]);

const PROXY_PROTOCOL = /^(https?|socks[45]?[ah]?):$/;

const protocolOf = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : '');

const REMOVED = 'is not supported any more, here nor by Kubernetes: use exec, a token or certificates';
const USER_ALONE = 'is not supported: of impersonation, only `as`';
const UNSUPPORTED = {
  username: REMOVED,
  'auth-provider': REMOVED,
  'as-uid': USER_ALONE,
  'as-groups': USER_ALONE,
  'as-user-extra': USER_ALONE,
} as const;

function checkUser(context: KubeconfigContext): void {
  const { user, file } = context;
  const refuse = (field: string, why: string): KubeconfigError =>
    new KubeconfigError({ file, field: userField(context, field), why });
  for (const [name, why] of Object.entries(UNSUPPORTED)) {
    if (Object.hasOwn(user, name)) throw refuse(name, why);
  }
  for (const name of ['client-certificate', 'client-key'] as const) {
    if (hasBoth(user, name)) throw refuse(name, IS_TWICE);
  }
  const { exec } = user;
  if (exec?.interactiveMode === 'Always') {
    throw refuse('exec.interactiveMode', 'is Always, and nothing answers questions of the plugin');
  }
  if (exec?.apiVersion === 'client.authentication.k8s.io/v1' && !exec.interactiveMode) {
    throw refuse('exec.interactiveMode', `is missing: ${exec.apiVersion} requires it`);
  }
  const certificate = user['client-certificate-data'] ?? user['client-certificate'];
  const key = user['client-key-data'] ?? user['client-key'];
  if ((certificate === undefined) !== (key === undefined)) {
    const missing = certificate === undefined ? 'client-certificate' : 'client-key';
    throw refuse(missing, 'is missing: the two go together');
  }
}

/**
 * The context as a kubeconfig of its own. It avoids these differences of the library from kubectl: it
 * prefers a token to a token file, does not read `tokenFile` by that name, starts plugins in the
 * working directory without `KUBERNETES_EXEC_INFO`, and wants `insecure-skip-tls-verify` for plain
 * HTTP (which `checkCluster` allows to this machine alone).
 */
function toLibraryConfig(context: KubeconfigContext): string {
  const { cluster, user } = context;
  const toAbsolute = (path: string | undefined): string | undefined => path && resolve(dirname(context.file), path);
  const tokenFile = toAbsolute(user.tokenFile);
  const serverOverrides = {
    'certificate-authority': toAbsolute(cluster['certificate-authority']),
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'] || protocolOf(cluster.server) === 'http:',
  };
  const userOverrides = {
    'client-certificate': toAbsolute(user['client-certificate']),
    'client-key': toAbsolute(user['client-key']),
    exec: user.exec ? prepareExec(context) : undefined,
    ...(tokenFile && {
      token: undefined,
      'auth-provider': { name: 'tokenFile', config: { tokenFile } },
    }),
  };
  return JSON.stringify({
    'current-context': 'context',
    contexts: [{ name: 'context', context: { cluster: 'cluster', user: 'user' } }],
    clusters: [{ name: 'cluster', cluster: { ...cluster, ...serverOverrides } }],
    users: [{ name: 'user', user: { ...user, ...userOverrides } }],
  });
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
function prepareExec({ file, cluster, user: { exec } }: KubeconfigContext): object | undefined {
  if (!exec) return undefined;
  const { apiVersion, command, env, provideClusterInfo } = exec;
  const { 'certificate-authority': _, 'proxy-url': __, ...clusterInfo } = cluster;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo && { cluster: clusterInfo }) },
  };
  return {
    ...exec,
    command: toPluginPath(file, command),
    args: exec.args ?? [],
    env: [...(env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }],
  };
}

/** A path starts from the folder of the kubeconfig, a name is on the PATH. */
const toPluginPath = (file: string, command: string): string =>
  /[\\/]/.test(command) ? resolve(dirname(file), command) : command;

interface Session {
  /** Empty if a certificate identifies the client. */
  readonly token: string;
  readonly endpoint: ApiServerEndpoint;
  /** Its connections show the certificate of the endpoint. */
  readonly transport: HttpTransport;
}

interface Sessions {
  /** Asks the library for credentials, which runs a plugin again when its answer has expired. */
  current(): Promise<Session>;
  /** The API server refused the credentials: the next `current` runs the plugin again. */
  forget(): void;
}

async function createSessions(context: KubeconfigContext): Promise<Sessions> {
  // The package's own entry would bring the API client of every kind along.
  const library = await import('@kubernetes/client-node/dist/config.js');
  const text = toLibraryConfig(context);
  let config: KubeConfig | undefined;
  let session: Session | undefined;

  async function refresh(): Promise<Session> {
    if (!config) {
      config = new library.KubeConfig();
      config.loadFromString(text);
    }
    const options = await authenticate(config, context).catch((error: unknown) => {
      // It keeps answers of a plugin that it could not use.
      config = undefined;
      throw error;
    });
    const endpoint = toEndpoint(options, context);
    if (session && !isDeepStrictEqual(session.endpoint, endpoint)) {
      // It keeps the proxy agent that it made with the first certificate.
      config = undefined;
      session = undefined;
      return await refresh();
    }
    const { agent } = options;
    const isProxied = context.cluster['proxy-url'] && typeof agent === 'object';
    const token = `${options.headers.Authorization ?? ''}`.replace(/^Bearer /, '').trim();
    // Its agent is used for proxies only, because it closes each connection after a request.
    const transport = session?.transport ?? createHttpTransport({ ...endpoint, ...(isProxied && { agent }) });
    session = { token, endpoint, transport };
    return session;
  }

  return {
    // Requests that start together share one run of the plugin; the library would start one for each.
    current: shareWhileRunning(refresh),
    forget() {
      config = undefined;
    },
  };
}

function toEndpoint(options: RequestOptions, { cluster }: KubeconfigContext): ApiServerEndpoint {
  const [certificateAuthority, cert, key] = [options.ca, options.cert, options.key].map(toPem);
  const serverName = cluster['tls-server-name'];
  return {
    url: cluster.server,
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(cert === undefined || key === undefined ? {} : { clientCertificate: { cert, key } }),
    ...(serverName && { serverName }),
    ...(cluster['insecure-skip-tls-verify'] && { insecure: true }),
  };
}

const toPem = (value: unknown): string | undefined =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined;

type AuthenticatedOptions = RequestOptions & { readonly headers: OutgoingHttpHeaders };

/** @throws KubeconfigError, CredentialPluginError - with the last line that the plugin wrote to stderr */
async function authenticate(config: KubeConfig, context: KubeconfigContext): Promise<AuthenticatedOptions> {
  const options: AuthenticatedOptions = { headers: {} };
  const { exec } = context.user;
  const apply = (): Promise<void> => config.applyToHTTPSOptions(options);
  try {
    if (exec) await limitPlugin(toPluginPath(context.file, exec.command), apply);
    else await apply();
  } catch (cause) {
    const unreadable = findUnreadableFile(cause, context);
    if (unreadable || !exec) throw unreadable ?? cause;
    throw new CredentialPluginError(exec, { why: whyPluginFailed(cause), cause });
  }
  if (exec && !options.headers.Authorization && !(options.cert && options.key)) {
    throw new CredentialPluginError(exec, { why: 'it gave neither a token nor a certificate' });
  }
  return options;
}

/** The error of the library has the path of the file, and that of a user names the field too. */
function findUnreadableFile(cause: unknown, context: KubeconfigContext): Error | undefined {
  const { file, cluster, user } = context;
  const fields = {
    [clusterField(context, 'certificate-authority')]: cluster['certificate-authority'],
    [userField(context, 'client-certificate')]: user['client-certificate'],
    [userField(context, 'client-key')]: user['client-key'],
    [userField(context, 'tokenFile')]: user.tokenFile,
  };
  for (const [field, path] of Object.entries(fields)) {
    const isNamed = path && cause instanceof Error && 'path' in cause;
    if (!isNamed || resolve(dirname(file), path) !== cause.path) continue;
    const why = `names ${path}, which cannot be read`;
    return new KubeconfigError({ file, field, why }, { cause });
  }
  return undefined;
}

/** The library parses the plugin's output as JSON and reads its `status` without a check. */
function whyPluginFailed(error: unknown): string {
  if (isMissingFile(error)) return 'no such program; it is not installed, or not on the PATH';
  if (error instanceof SyntaxError || error instanceof TypeError) {
    return 'its answer is no ExecCredential';
  }
  const lastLine = error instanceof Error ? error.message.trim().split('\n').at(-1) : undefined;
  return lastLine || 'it failed without a message';
}
