import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../terminal/io.ts';
import { type ClusterFlagValues, pickClusterFlags } from './cluster-flags.ts';
import type { ClusterChoice } from './reach-cluster.ts';

/**
 * Selects the cluster of a command that only reads. As with kubectl, the current context of the
 * kubeconfig counts if no cluster is named; stderr then names the context. Commands that change
 * something never use it: their user must name the cluster.
 *
 * @throws CliError - `file-unreadable`, and those of `callCluster`: the kubeconfig cannot be used
 */
export async function chooseClusterToRead(
  flags: ClusterFlagValues,
  { io, note }: Pick<Invocation, 'io' | 'note'>,
): Promise<ClusterChoice> {
  const choice = pickClusterFlags(flags);
  if (choice.cluster !== undefined || choice.kubeconfig !== undefined) return choice;
  const kubeconfig = findKubeconfig(io);
  if (kubeconfig === undefined) return choice;
  // Loaded here: it brings the AWS SDK along.
  const { readContext } = await import('./reach-cluster.ts');
  const { name } = await readContext({ ...choice, kubeconfig });
  note(`context ${name}`);
  return { ...choice, kubeconfig };
}

/** The first file of `KUBECONFIG`, else that of the home directory. */
function findKubeconfig({ env, cwd }: Pick<Io, 'env' | 'cwd'>): string | undefined {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).find((path) => path !== '');
  if (listed !== undefined) return resolve(cwd, listed);
  const usual = env.HOME === undefined ? undefined : join(env.HOME, '.kube', 'config');
  return usual !== undefined && existsSync(usual) ? usual : undefined;
}
