import * as z from 'zod';

const base64 = z.string().regex(/^[0-9A-Za-z+/\s]*={0,2}\s*$/, 'is not base64');

const clusterSchema = z.object({
  server: z.string().min(1),
  'certificate-authority': z.string().exactOptional(),
  'certificate-authority-data': base64.exactOptional(),
  'insecure-skip-tls-verify': z.boolean().exactOptional(),
  'tls-server-name': z.string().exactOptional(),
  'proxy-url': z.string().exactOptional(),
});

const execSchema = z.object({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
});

const userSchema = z.object({
  'client-certificate': z.string().exactOptional(),
  'client-certificate-data': base64.exactOptional(),
  'client-key': z.string().exactOptional(),
  'client-key-data': base64.exactOptional(),
  token: z.string().exactOptional(),
  tokenFile: z.string().exactOptional(),
  exec: execSchema.nullish(),
  // Kubernetes took both away long ago: named, so that nobody wonders why they do nothing.
  username: z.string().exactOptional(),
  'auth-provider': z.unknown().optional(),
});

const contextSchema = z.object({ cluster: z.string(), user: z.string().default('') });

/** As `kubectl` writes it; fields that we have no use for are left alone. */
export const kubeconfigSchema = z.object({
  'current-context': z.string().exactOptional(),
  contexts: z.array(z.object({ name: z.string(), context: contextSchema })).nullish(),
  clusters: z.array(z.object({ name: z.string(), cluster: clusterSchema })).nullish(),
  users: z.array(z.object({ name: z.string(), user: userSchema.nullish() })).nullish(),
});

export type KubeconfigCluster = z.output<typeof clusterSchema>;
export type KubeconfigUser = z.output<typeof userSchema>;
export type ExecPlugin = z.output<typeof execSchema>;
