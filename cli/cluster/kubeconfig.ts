import * as z from 'zod';
import { readYaml } from '../../shared/api/manifests/yaml-documents.ts';

export interface KubeconfigProblem {
  readonly file: string;
  /** Path of the field, for example `users[0].user.exec.command`; empty for the file as a whole. */
  readonly field: string;
  readonly why: string;
  /** Names that would be valid in this field. */
  readonly validNames?: readonly string[];
  readonly fix?: string;
}

/** A kubeconfig that cannot be used as it is. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  readonly problem: KubeconfigProblem;

  constructor(problem: KubeconfigProblem, options?: ErrorOptions) {
    const { file, field, why } = problem;
    super(`${file}: ${field === '' ? '' : `${field} `}${why}`, options);
    this.problem = problem;
  }
}

/** The credential plugin of a kubeconfig (`users[].user.exec`) returned no credentials. */
export class CredentialPluginError extends Error {
  override readonly name = 'CredentialPluginError';
  readonly command: string;
  /** The kubeconfig's `installHint`, or what a missing program needs. */
  readonly hint: string | undefined;

  constructor({ command, installHint }: KubeconfigExec, { why, cause }: ErrorOptions & { readonly why: string }) {
    super(`${command}: ${why}`, { cause });
    this.command = command;
    this.hint = installHint ?? (isMissingFile(cause) ? `install ${command}` : undefined);
  }
}

export const isMissingFile = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** One context of a kubeconfig, with the cluster and the user that it names. */
export interface KubeconfigContext {
  readonly name: string;
  /** Path of the kubeconfig, for errors; relative paths in it start from its folder. */
  readonly file: string;
  readonly clusterName: string;
  readonly cluster: KubeconfigCluster;
  /** Empty if the context names no user. */
  readonly userName: string;
  readonly user: KubeconfigUser;
}

/**
 * Checks a kubeconfig and finds one context in it.
 *
 * @param context - name of the context; `undefined` for the current one
 * @throws KubeconfigError - names file, field and reason
 */
export function readKubeconfig(
  text: string,
  { file, context }: { readonly file: string; readonly context?: string },
): KubeconfigContext {
  const config = parse(text, file);
  const contexts = config.contexts ?? [];
  const name = context ?? config['current-context'] ?? '';
  const index = contexts.findIndex((entry) => entry.name === name);
  const entry = contexts[index]?.context;
  if (!entry) {
    const validNames = contexts.map((entry) => entry.name);
    const unset = validNames.length > 0 ? 'is not set' : 'is not set, and the file has no contexts';
    const why = name === '' ? unset : `names the context ${name}, which is not in the file`;
    const field = context === undefined ? 'current-context' : '--context';
    throw new KubeconfigError({ file, field, why, validNames });
  }

  const { cluster: clusterName, user: userName } = entry;
  const { clusters, users } = config;
  const missing = (kind: 'cluster' | 'user', missingName: string): KubeconfigError => {
    const why = `names the ${kind} ${missingName}, which is not in the file`;
    const field = `contexts[${index}].context.${kind}`;
    const validNames = (kind === 'cluster' ? clusters : users)?.map((entry) => entry.name) ?? [];
    return new KubeconfigError({ file, field, why, validNames });
  };
  const cluster = clusters?.find((entry) => entry.name === clusterName)?.cluster;
  if (!cluster) throw missing('cluster', clusterName);
  const user = users?.find((entry) => entry.name === userName);
  if (!user && userName !== '') throw missing('user', userName);
  return { name, file, clusterName, cluster, userName, user: user?.user ?? {} };
}

const text = z.string().exactOptional();
const base64 = z
  .string()
  .regex(/^[0-9A-Za-z+/\s]*={0,2}\s*$/, 'is not base64')
  .exactOptional();

const clusterSchema = z.object({
  server: z.string().min(1),
  'certificate-authority': text,
  'certificate-authority-data': base64,
  'insecure-skip-tls-verify': z.boolean().exactOptional(),
  'tls-server-name': text,
  'proxy-url': text,
});

const execSchema = z.object({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).nullish(),
});

const userSchema = z.object({
  'client-certificate': text,
  'client-certificate-data': base64,
  'client-key': text,
  'client-key-data': base64,
  token: text,
  tokenFile: text,
  exec: execSchema.nullish(),
  as: text,
  // The rest is not supported, and is read only so that the error can name it.
  'as-uid': text,
  'as-groups': z.array(z.string()).nullish(),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
  username: text,
  'auth-provider': z.unknown().optional(),
});

const contextSchema = z.object({ cluster: z.string(), user: z.string().default('') });

const hasUniqueNames = (entries: readonly { readonly name: string }[]): boolean =>
  new Set(entries.map(({ name }) => name)).size === entries.length;
const DUPLICATE = 'has two entries of one name';

const kubeconfigSchema = z.object({
  'current-context': text,
  contexts: z
    .array(z.object({ name: z.string(), context: contextSchema }))
    .refine(hasUniqueNames, DUPLICATE)
    .nullish(),
  clusters: z
    .array(z.object({ name: z.string(), cluster: clusterSchema }))
    .refine(hasUniqueNames, DUPLICATE)
    .nullish(),
  users: z
    .array(z.object({ name: z.string(), user: userSchema.nullish() }))
    .refine(hasUniqueNames, DUPLICATE)
    .nullish(),
});

export type KubeconfigCluster = z.output<typeof clusterSchema>;
export type KubeconfigUser = z.output<typeof userSchema>;
export type KubeconfigExec = z.output<typeof execSchema>;

function parse(source: string, file: string): z.output<typeof kubeconfigSchema> {
  const { documents, faults } = readYaml(source);
  const [fault] = faults;
  if (fault) {
    const { line, column, why, fix } = fault;
    throw new KubeconfigError({ file: `${file}:${line}:${column}`, field: '', why, fix });
  }
  const [document, second] = documents;
  if (!document) throw new KubeconfigError({ file, field: '', why: 'the file is empty' });
  if (second) {
    const { line, column } = second.positionOf([], 'value');
    const why = 'a second document begins here; a kubeconfig is one';
    throw new KubeconfigError({ file: `${file}:${line}:${column}`, field: '', why });
  }
  const result = kubeconfigSchema.safeParse(document.value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = z.core.toDotPath(issue?.path ?? []);
  const why = field === '' ? NO_KUBECONFIG : whyRefused(issue);
  throw new KubeconfigError({ file, field, why }, { cause: result.error });
}

const NO_KUBECONFIG = 'it is no kubeconfig: a map with clusters, users and contexts';

function whyRefused(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_type') {
    const isMissing = issue.message.endsWith('received undefined');
    return isMissing ? 'is missing' : `must be of the type ${issue.expected}`;
  }
  if (issue?.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue?.code === 'too_small') return 'is empty';
  return issue?.message ?? NO_KUBECONFIG;
}
