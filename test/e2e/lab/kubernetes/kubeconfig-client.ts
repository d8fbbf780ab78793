import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';
import * as z from 'zod';

const kubeconfigSchema = z.object({
  clusters: z.tuple([
    z.object({
      cluster: z.object({
        server: z.url(),
        'certificate-authority-data': z.string().optional(),
        'insecure-skip-tls-verify': z.boolean().optional(),
      }),
    }),
  ]),
  users: z.tuple([z.object({ user: z.object({ token: z.string() }) })]),
});

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Sends requests to the API server of a kubeconfig of the lab: one cluster, one user with a token.
 */
export type AskServer = (method: string, path: string, body?: unknown) => Promise<Answer>;

export function kubernetesClient(kubeconfig: string): AskServer {
  const { clusters, users } = kubeconfigSchema.parse(parse(readFileSync(kubeconfig, 'utf8')));
  const [{ cluster }] = clusters;
  const authority = cluster['certificate-authority-data'];
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 4,
    ...(authority ? { ca: Buffer.from(authority, 'base64') } : {}),
    rejectUnauthorized: !cluster['insecure-skip-tls-verify'],
  });
  const headers = {
    authorization: `Bearer ${users[0].user.token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };

  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const url = new URL(path, cluster.server);
      const asking = request(url, { method, agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () => {
          resolve({
            status: answer.statusCode ?? 0,
            body: text === '' ? undefined : JSON.parse(text),
          });
        });
      });
      asking.on('error', reject);
      asking.end(body === undefined ? undefined : JSON.stringify(body));
    });
}
