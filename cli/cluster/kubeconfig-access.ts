import { readFile } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type ApiServerEndpoint,
  createHttpTransport,
  type HttpTransport,
} from '../../shared/kubernetes/client/http-transport.ts';
import {
  createKubernetesApi,
  type KubernetesApi,
} from '../../shared/kubernetes/client/kubernetes-api.ts';
import { shareWhileRunning } from '../../shared/model/concurrency.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { type Credentials, runCredentialPlugin } from './credential-plugin.ts';
import { type KubeconfigContext, KubeconfigError } from './kubeconfig.ts';

export interface KubeconfigAccess {
  readonly api: KubernetesApi;
  /** PEM; `undefined` if the system's authorities apply, or the certificate is not checked. */
  readonly certificateAuthority?: string;
}

/**
 * Connects to the API server of a context, as kubectl does. Requests go through the same client as
 * in the functions.
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
  const endpoint = await readEndpoint(context);
  const { certificateAuthority } = endpoint;
  const sessions = createSessions(endpoint, await createCredentialsReader(context));
  // Wrong credentials become an error now instead of at the first request.
  await sessions.current();
  const api = createKubernetesApi({
    userAgent,
    transport: async (request, signal) => (await sessions.current()).transport(request, signal),
    tokens: {
      token: async () => (await sessions.current()).credentials.token,
      renew: sessions.forget,
    },
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

/** @throws KubeconfigError */
async function readNamedFile(
  { file }: KubeconfigContext,
  field: string,
  path: string,
): Promise<string> {
  try {
    return await readFile(resolve(dirname(file), path), 'utf8');
  } catch (cause) {
    throw new KubeconfigError(
      { file, field, why: `names ${path}, which cannot be read` },
      { cause },
    );
  }
}

/** As with kubectl, `<name>-data` takes precedence over the file `<name>`. */
async function readPem(
  context: KubeconfigContext,
  field: string,
  { data, path }: { readonly data: string | undefined; readonly path: string | undefined },
): Promise<string | undefined> {
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  return path === undefined ? undefined : await readNamedFile(context, field, path);
}

async function readEndpoint(context: KubeconfigContext): Promise<ApiServerEndpoint> {
  const { cluster } = context;
  const certificateAuthority = await readPem(
    context,
    clusterField(context, 'certificate-authority'),
    {
      data: cluster['certificate-authority-data'],
      path: cluster['certificate-authority'],
    },
  );
  const { 'tls-server-name': serverName, 'proxy-url': proxyUrl } = cluster;
  return {
    url: cluster.server,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(cluster['insecure-skip-tls-verify'] ? { insecure: true } : {}),
    ...(proxyUrl === undefined ? {} : { agent: await createProxyAgent(proxyUrl, cluster.server) }),
  };
}

/** The packages are loaded only for a cluster behind a proxy. */
async function createProxyAgent(proxyUrl: string, server: string): Promise<Agent> {
  if (protocolOf(proxyUrl).startsWith('socks')) {
    const { SocksProxyAgent } = await import('socks-proxy-agent');
    return new SocksProxyAgent(proxyUrl);
  }
  const { HttpProxyAgent, HttpsProxyAgent } = await import('hpagent');
  const options = { proxy: proxyUrl };
  return protocolOf(server) === 'https:'
    ? new HttpsProxyAgent(options)
    : new HttpProxyAgent(options);
}

/** client-go, too, reads a token file again after a minute. */
const TOKEN_FILE_LIFETIME_MS = MINUTE_MS;

/** @returns reads the user's credentials, or runs the plugin for them */
async function createCredentialsReader(
  context: KubeconfigContext,
): Promise<() => Promise<Credentials>> {
  const { user } = context;
  const { exec, token = '', tokenFile } = user;
  if (exec) return () => runCredentialPlugin(exec, context);

  const [cert, key] = await Promise.all(
    (['client-certificate', 'client-key'] as const).map((field) =>
      readPem(context, userField(context, field), {
        data: user[`${field}-data`],
        path: user[field],
      }),
    ),
  );
  const certificate =
    cert === undefined || key === undefined ? {} : { clientCertificate: { cert, key } };
  if (tokenFile === undefined) {
    return async () => ({ token, ...certificate, expiresAt: Number.POSITIVE_INFINITY });
  }
  return async () => ({
    token: (await readNamedFile(context, userField(context, 'tokenFile'), tokenFile)).trim(),
    ...certificate,
    expiresAt: Date.now() + TOKEN_FILE_LIFETIME_MS,
  });
}

interface Session {
  readonly credentials: Credentials;
  /** Its connections show the certificate of the credentials. */
  readonly transport: HttpTransport;
}

interface Sessions {
  /** Reads credentials again when they have expired. */
  current(): Promise<Session>;
  /** The API server refused the credentials: the next `current` reads them again. */
  forget(): void;
}

function createSessions(
  endpoint: ApiServerEndpoint,
  readCredentials: () => Promise<Credentials>,
): Sessions {
  let session: Session | undefined;
  let isRefused = false;

  // Requests that start together share one run of the plugin.
  const renew = shareWhileRunning(async (previous: Session | undefined): Promise<Session> => {
    const credentials = await readCredentials();
    const { clientCertificate } = credentials;
    const isSameClient =
      previous && isDeepStrictEqual(previous.credentials.clientCertificate, clientCertificate);
    isRefused = false;
    session = {
      credentials,
      transport: isSameClient
        ? previous.transport
        : createHttpTransport({ ...endpoint, ...(clientCertificate && { clientCertificate }) }),
    };
    return session;
  });

  return {
    async current() {
      const isUsable = session && !isRefused && session.credentials.expiresAt > Date.now();
      if (session && isUsable) return session;
      return renew(session);
    },
    forget() {
      isRefused = true;
    },
  };
}
