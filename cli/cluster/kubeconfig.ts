import { parseDocument } from 'yaml';
import * as z from 'zod';

export interface KubeconfigProblem {
  readonly file: string;
  /** Path of the field, for example `users[0].user.exec.command`; empty for the file as a whole. */
  readonly field: string;
  readonly why: string;
  /** Names that would be valid in this field. */
  readonly validNames?: readonly string[];
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
  const missing = (kind: 'cluster' | 'user', missingName: string): KubeconfigError => {
    const why = `names the ${kind} ${missingName}, which is not in the file`;
    return new KubeconfigError({ file, field: `contexts[${index}].context.${kind}`, why });
  };
  const cluster = config.clusters?.find((entry) => entry.name === clusterName)?.cluster;
  if (!cluster) throw missing('cluster', clusterName);
  const user = config.users?.find((entry) => entry.name === userName);
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
});

const userSchema = z.object({
  'client-certificate': text,
  'client-certificate-data': base64,
  'client-key': text,
  'client-key-data': base64,
  token: text,
  tokenFile: text,
  exec: execSchema.nullish(),
  // Kubernetes removed both; they are read only so that the error can name them.
  username: text,
  'auth-provider': z.unknown().optional(),
});

const contextSchema = z.object({ cluster: z.string(), user: z.string().default('') });

const kubeconfigSchema = z.object({
  'current-context': text,
  contexts: z.array(z.object({ name: z.string(), context: contextSchema })).nullish(),
  clusters: z.array(z.object({ name: z.string(), cluster: clusterSchema })).nullish(),
  users: z.array(z.object({ name: z.string(), user: userSchema.nullish() })).nullish(),
});

export type KubeconfigCluster = z.output<typeof clusterSchema>;
export type KubeconfigUser = z.output<typeof userSchema>;
export type KubeconfigExec = z.output<typeof execSchema>;

function parse(source: string, file: string): z.output<typeof kubeconfigSchema> {
  const document = parseDocument(source);
  const [syntaxError] = document.errors;
  if (syntaxError) {
    const { line = 1, col = 1 } = syntaxError.linePos?.[0] ?? {};
    const why = syntaxError.message.split('\n')[0] ?? 'YAML cannot be read';
    const problem = { file: `${file}:${line}:${col}`, field: '', why };
    throw new KubeconfigError(problem, { cause: syntaxError });
  }
  const result = kubeconfigSchema.safeParse(document.toJS());
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = z.core.toDotPath(issue?.path ?? []);
  const why = issue?.message ?? 'is no kubeconfig';
  throw new KubeconfigError({ file, field, why }, { cause: result.error });
}
