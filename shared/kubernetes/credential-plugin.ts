import { execFile } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { EpochMs } from '../model/time.ts';
import { CredentialPluginError } from './kubeconfig-errors.ts';
import type { ExecPlugin, KubeconfigCluster } from './kubeconfig-schema.ts';

/** Who we are to a server, for a while. */
export interface ClientIdentity {
  readonly token?: string;
  /** PEM, both. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  readonly expiresAt?: EpochMs;
}

export interface PluginContext {
  /** Of the kubeconfig: a command with a slash in it is beside it. */
  readonly file: string;
  readonly cluster: KubeconfigCluster;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const TIMEOUT_MS = 60_000;

const answerSchema = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().exactOptional(),
    clientCertificateData: z.string().exactOptional(),
    clientKeyData: z.string().exactOptional(),
    expirationTimestamp: z.iso.datetime({ offset: true }).exactOptional(),
  }),
});

/**
 * Runs the program that a kubeconfig names, without a terminal.
 *
 * @see Kubernetes, client-go credential plugins
 * @throws CredentialPluginError
 */
export async function runCredentialPlugin(
  plugin: ExecPlugin,
  { file, cluster, env }: PluginContext,
): Promise<ClientIdentity> {
  const command = /[\\/]/.test(plugin.command)
    ? resolve(dirname(file), plugin.command)
    : plugin.command;
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(plugin.provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}),
    },
  };
  const wanted = (plugin.env ?? []).map(({ name, value }) => [name, value] as const);
  const text = await outputOf(plugin, command, {
    ...env,
    ...Object.fromEntries(wanted),
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  });
  return identityIn(plugin.command, text);
}

const clusterInfo = (cluster: KubeconfigCluster): object => ({
  server: cluster.server,
  'tls-server-name': cluster['tls-server-name'],
  'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
  'certificate-authority-data': cluster['certificate-authority-data'],
});

const outputOf = (
  plugin: ExecPlugin,
  command: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> =>
  new Promise((done, fail) => {
    const args = [...(plugin.args ?? [])];
    const child = execFile(command, args, { env, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (!error) return done(stdout);
      const said = stderr.trim().split('\n').at(-1) ?? '';
      const hint = plugin.installHint ?? undefined;
      const why = said === '' ? error.message : said;
      fail(new CredentialPluginError(plugin.command, why, { cause: error, ...(hint && { hint }) }));
    });
    child.stdin?.end();
  });

function identityIn(command: string, text: string): ClientIdentity {
  const { data: answer, error } = answerSchema.safeParse(parseJson(text));
  if (!answer) {
    throw new CredentialPluginError(command, 'its answer is no ExecCredential', { cause: error });
  }
  const { token, clientCertificateData: cert, clientKeyData: key } = answer.status;
  if (token === undefined && (cert === undefined || key === undefined)) {
    throw new CredentialPluginError(command, 'it gave neither a token nor a certificate');
  }
  const { expirationTimestamp } = answer.status;
  return {
    ...(token === undefined ? {} : { token }),
    ...(cert === undefined || key === undefined ? {} : { clientCertificate: { cert, key } }),
    ...(expirationTimestamp === undefined ? {} : { expiresAt: Date.parse(expirationTimestamp) }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
