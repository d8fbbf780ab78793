import { parseDocument } from 'yaml';
import * as z from 'zod';
import { KubeconfigError } from './kubeconfig-errors.ts';
import {
  type KubeconfigCluster,
  type KubeconfigUser,
  kubeconfigSchema,
} from './kubeconfig-schema.ts';

/** One context of a kubeconfig: where the server is, and who we are to it. */
export interface KubeconfigContext {
  readonly name: string;
  /** The file, for errors and for paths beside it. */
  readonly file: string;
  readonly clusterName: string;
  readonly cluster: KubeconfigCluster;
  /** Empty: nobody in particular. */
  readonly userName: string;
  readonly user: KubeconfigUser;
}

/**
 * Reads one context; nothing that it refers to is opened yet.
 *
 * @param context - absent: the current one
 * @throws KubeconfigError - names file and field
 */
export function readKubeconfig(
  text: string,
  { file, context }: { readonly file: string; readonly context?: string },
): KubeconfigContext {
  const config = parse(text, file);
  const contexts = config.contexts ?? [];
  const wanted = context ?? config['current-context'] ?? '';
  const field = context === undefined ? 'current-context' : '--context';
  const unset = contexts.length > 0 ? 'is not set' : 'is not set, and the file has no contexts';
  const why = wanted === '' ? unset : `names the context ${wanted}, which is not in the file`;
  const named = contexts.map(({ name }) => name);
  const found = contexts.find(({ name }) => name === wanted);
  if (!found) throw new KubeconfigError({ file, field, why, known: named });

  const { cluster: clusterName, user: userName } = found.context;
  const at = `contexts[${contexts.indexOf(found)}].context`;
  const cluster = (config.clusters ?? []).find(({ name }) => name === clusterName)?.cluster;
  if (!cluster) {
    const why = `names the cluster ${clusterName}, which is not in the file`;
    throw new KubeconfigError({ file, field: `${at}.cluster`, why });
  }
  const user = (config.users ?? []).find(({ name }) => name === userName);
  if (!user && userName !== '') {
    const why = `names the user ${userName}, which is not in the file`;
    throw new KubeconfigError({ file, field: `${at}.user`, why });
  }
  return { name: found.name, file, clusterName, cluster, userName, user: user?.user ?? {} };
}

function parse(text: string, file: string): z.output<typeof kubeconfigSchema> {
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken) {
    const { line = 1, col = 1 } = broken.linePos?.[0] ?? {};
    const why = broken.message.split('\n')[0] ?? 'YAML cannot be read';
    throw new KubeconfigError(
      { file: `${file}:${line}:${col}`, field: '', why },
      { cause: broken },
    );
  }
  const read = kubeconfigSchema.safeParse(document.toJS());
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new KubeconfigError(
    { file, field: z.core.toDotPath(issue?.path ?? []), why: issue?.message ?? 'is no kubeconfig' },
    { cause: read.error },
  );
}
