import { MINUTE_MS } from '../model/time.ts';
import type { Clock } from '../ports/ports.ts';
import { type ClientIdentity, runCredentialPlugin } from './credential-plugin.ts';
import type { KubeconfigContext } from './kubeconfig.ts';
import { KubeconfigError } from './kubeconfig-errors.ts';
import { fileBeside, pemOf } from './kubeconfig-files.ts';

export interface IdentityOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Token files are written anew by others: read again after this. */
const TOKEN_FILE_KEPT_MS = MINUTE_MS;

/**
 * What a context says of who we are: a plugin's word, a certificate, a token.
 *
 * @throws KubeconfigError
 * @throws CredentialPluginError
 */
export async function identityOf(
  context: KubeconfigContext,
  { env, clock }: IdentityOptions,
): Promise<ClientIdentity> {
  const { user, cluster, file } = context;
  const at = `users[${context.userName}].user`;
  for (const gone of ['username', 'auth-provider'] as const) {
    if (user[gone] === undefined) continue;
    const why =
      'is not supported any more, here nor by Kubernetes: use exec, a token or certificates';
    throw new KubeconfigError({ file, field: `${at}.${gone}`, why });
  }
  if (user.exec) return await runCredentialPlugin(user.exec, { file, cluster, env });

  const [cert, key] = await Promise.all([
    pemOf(context, at, {
      data: user['client-certificate-data'],
      path: user['client-certificate'],
      field: 'client-certificate',
    }),
    pemOf(context, at, {
      data: user['client-key-data'],
      path: user['client-key'],
      field: 'client-key',
    }),
  ]);
  if ((cert === undefined) !== (key === undefined)) {
    const missing = cert === undefined ? 'client-certificate' : 'client-key';
    throw new KubeconfigError({
      file,
      field: `${at}.${missing}`,
      why: 'is missing: the two go together',
    });
  }
  const certificate =
    cert !== undefined && key !== undefined ? { clientCertificate: { cert, key } } : {};
  if (user.tokenFile !== undefined) {
    const token = await fileBeside(context, `${at}.tokenFile`, user.tokenFile);
    return { ...certificate, token: token.trim(), expiresAt: clock.now() + TOKEN_FILE_KEPT_MS };
  }
  return { ...certificate, ...(user.token === undefined ? {} : { token: user.token }) };
}
