import { execFile } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { KubeconfigContext, KubeconfigExec } from './kubeconfig.ts';

/** The credential plugin of a kubeconfig (`users[].user.exec`) returned no credentials. */
export class CredentialPluginError extends Error {
  override readonly name = 'CredentialPluginError';
  readonly command: string;
  /** The kubeconfig's `installHint`, or what a missing program needs. */
  readonly hint: string | undefined;

  constructor(
    { command, installHint }: KubeconfigExec,
    { why, cause }: ErrorOptions & { readonly why: string },
  ) {
    super(`${command}: ${why}`, { cause });
    this.command = command;
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    this.hint = installHint ?? (isMissing ? `install ${command}` : undefined);
  }
}

export interface ClientCertificate {
  /** PEM, like `key`. */
  readonly cert: string;
  readonly key: string;
}

export interface Credentials {
  /** Empty if a certificate identifies the client. */
  readonly token: string;
  readonly clientCertificate?: ClientCertificate;
  /** Milliseconds since 1970, from which on they have to be read again; `Infinity` for never. */
  readonly expiresAt: number;
}

const PLUGIN_TIMEOUT_MS = MINUTE_MS;

/**
 * Runs a credential plugin as kubectl does: relative to the kubeconfig, and with
 * `KUBERNETES_EXEC_INFO`. It is not interactive, and is ended after a minute.
 *
 * @throws CredentialPluginError - with the last line that the plugin wrote to stderr
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export async function runCredentialPlugin(
  exec: KubeconfigExec,
  context: KubeconfigContext,
): Promise<Credentials> {
  const status = readStatus(exec, await run(exec, context));
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  const clientCertificate = cert && key ? { cert, key } : undefined;
  if (!token && !clientCertificate) {
    throw new CredentialPluginError(exec, { why: 'it gave neither a token nor a certificate' });
  }
  return {
    token: token ?? '',
    ...(clientCertificate && { clientCertificate }),
    expiresAt: expirationTimestamp ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY,
  };
}

/** @returns what the plugin printed */
async function run(exec: KubeconfigExec, context: KubeconfigContext): Promise<string> {
  const { command, args, env } = exec;
  const file = /[\\/]/.test(command) ? resolve(dirname(context.file), command) : command;
  const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const options = {
    env: { ...process.env, ...variables, KUBERNETES_EXEC_INFO: execInfo(exec, context) },
    timeout: PLUGIN_TIMEOUT_MS,
  };
  return await new Promise((done, fail) => {
    const plugin = execFile(file, args ?? [], options, (cause, stdout, stderr) => {
      if (!cause) return done(stdout);
      const isEnded = cause.killed === true;
      const why = isEnded ? 'it gave no answer within a minute' : whyFailed(cause, stderr);
      fail(new CredentialPluginError(exec, { why, cause }));
    });
    // A plugin that asks a question reads the end of its input and fails, instead of waiting. It may
    // also have ended already.
    plugin.stdin?.on('error', () => undefined).end();
  });
}

/** A command that cannot be started has no exit code, and the reason is in the error. */
function whyFailed({ code, message }: Error & { code?: unknown }, stderr: string): string {
  if (code === 'ENOENT') return 'no such program; it is not installed, or not on the PATH';
  const text = typeof code === 'number' ? stderr : message;
  return text.trim().split('\n').at(-1) || 'it failed without a message';
}

function execInfo(
  { apiVersion, provideClusterInfo }: KubeconfigExec,
  { cluster }: KubeconfigContext,
): string {
  const { 'certificate-authority': _, 'proxy-url': __, ...clusterInfo } = cluster;
  return JSON.stringify({
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo ? { cluster: clusterInfo } : {}) },
  });
}

const optionalText = z.string().nullish();
const credentialSchema = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: optionalText,
    clientCertificateData: optionalText,
    clientKeyData: optionalText,
    expirationTimestamp: optionalText,
  }),
});

function readStatus(
  exec: KubeconfigExec,
  output: string,
): z.output<typeof credentialSchema>['status'] {
  try {
    return credentialSchema.parse(JSON.parse(output)).status;
  } catch (cause) {
    throw new CredentialPluginError(exec, { why: 'its answer is no ExecCredential', cause });
  }
}
