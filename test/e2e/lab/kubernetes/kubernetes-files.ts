import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A user with a static token, and its groups. */
export interface User {
  readonly name: string;
  readonly token: string;
  readonly groups: readonly string[];
}

export const ADMIN: User = { name: 'admin', token: 'admin', groups: ['system:masters'] };
/** The default RBAC rules of every cluster contain these two names. */
export const SCHEDULER: User = {
  name: 'system:kube-scheduler',
  token: 'scheduler',
  groups: [],
};
export const CONTROLLER_MANAGER: User = {
  name: 'system:kube-controller-manager',
  token: 'controller-manager',
  groups: [],
};

/** The user to which the access entries map our functions. */
export const CONTROLLER: User = {
  name: 'lab-controller',
  token: 'controller',
  groups: ['mortise:controller'],
};

/** The two functions that write RBAC and webhooks. */
export const CLUSTER_SETUP: User = {
  name: 'lab-cluster-setup',
  token: 'cluster-setup',
  groups: ['mortise:cluster-setup'],
};
export const WEBHOOK_CONTROL: User = {
  name: 'lab-webhook-control',
  token: 'webhook-control',
  groups: ['mortise:webhook-control'],
};

const USERS = [ADMIN, SCHEDULER, CONTROLLER_MANAGER, CONTROLLER, CLUSTER_SETUP, WEBHOOK_CONTROL];

/** Writes the static token file of the API server. */
export function writeTokens(folder: string): string {
  const lines = USERS.map(({ name, token, groups }) => `${token},${name},${name},"${groups.join(',')}"`);
  return write(folder, 'tokens.csv', `${lines.join('\n')}\n`);
}

/** Writes the key pair for service account tokens: one file signs, the other verifies. */
export function writeServiceAccountKeys(folder: string): { signing: string; checking: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    signing: write(folder, 'service-account.key', privateKey),
    checking: write(folder, 'service-account.pub', publicKey),
  };
}

/**
 * @param authority - in PEM format; undefined for plain http, which only the token webhook uses
 */
export function writeKubeconfig(
  folder: string,
  name: string,
  { url, authority, user }: { url: string; authority?: string; user?: User },
): string {
  const trust =
    authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server: url, ...trust } }],
    users: [{ name: 'lab', user: user ? { token: user.token } : {} }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'lab' } }],
    'current-context': 'lab',
  };
  return write(folder, `${name}.kubeconfig`, JSON.stringify(config));
}

function write(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
