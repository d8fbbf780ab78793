import { type EpochMs, SECOND_MS } from '../model/time.ts';
import { createTransport, type Server, type Transport } from './client/http-transport.ts';
import type { KubeconfigContext } from './kubeconfig.ts';
import { KubeconfigError } from './kubeconfig-errors.ts';
import { pemOf } from './kubeconfig-files.ts';
import { type IdentityOptions, identityOf } from './kubeconfig-identity.ts';
import { createKubernetesApi, type KubernetesApi } from './client/kubernetes-api.ts';

export interface KubeconfigApiOptions extends IdentityOptions {
  /** Whether a server may be spoken to whose certificate nobody checks. */
  readonly allowInsecure: boolean;
}

/** A request takes its time. */
const EXPIRY_MARGIN_MS = 10 * SECOND_MS;

export interface KubeconfigAccess {
  readonly api: KubernetesApi;
  /** PEM; absent: one that the system knows, or nobody checks. */
  readonly certificateAuthority?: string;
}

/**
 * The API server of a kubeconfig's context.
 *
 * @throws KubeconfigError - a file that it names cannot be read, or a field cannot be followed
 * @throws CredentialPluginError
 */
export async function kubeconfigApi(
  context: KubeconfigContext,
  options: KubeconfigApiOptions,
): Promise<KubeconfigAccess> {
  const server = await serverOf(context, options.allowInsecure);
  const session = keepSession(context, server, options);
  // What is wrong with the file shows now, not at the first request.
  await session.current();
  const transport: Transport = async (request, signal) =>
    (await session.current()).transport(request, signal);
  const tokens = {
    token: async () => (await session.current()).token,
    renew: () => session.forget(),
  };
  const { certificateAuthority } = server;
  return {
    api: createKubernetesApi({ transport, tokens }),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
}

async function serverOf(context: KubeconfigContext, allowInsecure: boolean): Promise<Server> {
  const { cluster } = context;
  const at = `clusters[${context.clusterName}].cluster`;
  const refuse = (field: string, why: string): KubeconfigError =>
    new KubeconfigError({ file: context.file, field: `${at}.${field}`, why });
  if (cluster['proxy-url'] !== undefined) throw refuse('proxy-url', 'is not supported');
  if (!URL.canParse(cluster.server)) throw refuse('server', `is no URL: ${cluster.server}`);
  const isInsecure = cluster['insecure-skip-tls-verify'] === true;
  if (isInsecure && !allowInsecure) {
    throw refuse(
      'insecure-skip-tls-verify',
      'is true: whoever answers at that address would get our credentials',
    );
  }
  const authority = await pemOf(context, at, {
    data: cluster['certificate-authority-data'],
    path: cluster['certificate-authority'],
    field: 'certificate-authority',
  });
  const serverName = cluster['tls-server-name'];
  return {
    url: cluster.server,
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(isInsecure ? { insecure: true } : {}),
  };
}

interface Session {
  readonly transport: Transport;
  readonly token: string;
  readonly until: EpochMs;
}

function keepSession(
  context: KubeconfigContext,
  server: Server,
  options: KubeconfigApiOptions,
): { current(): Promise<Session>; forget(): void } {
  const plain = createTransport(server);
  let current: Promise<Session> | undefined;

  async function begin(): Promise<Session> {
    const { token = '', clientCertificate, expiresAt } = await identityOf(context, options);
    return {
      // A connection is made with a certificate, so a new certificate takes new connections.
      transport: clientCertificate ? createTransport({ ...server, clientCertificate }) : plain,
      token,
      until: (expiresAt ?? Number.POSITIVE_INFINITY) - EXPIRY_MARGIN_MS,
    };
  }

  return {
    async current() {
      const known = await current;
      if (known && options.clock.now() < known.until) return known;
      const fresh = begin();
      current = fresh;
      // What failed once may work the next time.
      fresh.catch(() => {
        if (current === fresh) current = undefined;
      });
      return await fresh;
    },
    forget() {
      current = undefined;
    },
  };
}
