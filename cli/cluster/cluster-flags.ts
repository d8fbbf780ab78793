import { type Command, type CommandUnknownOpts, Option, type OptionValues } from '@commander-js/extra-typings';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import { refuseIneffective } from '../arguments/ineffective-flags.ts';
import { regionParser } from '../arguments/regions.ts';

/** The flags as they were parsed. */
export interface ClusterFlagValues {
  readonly cluster?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly insecure?: true | undefined;
}

/** The region of AWS. */
export const regionFlag = () =>
  new Option('--region <NAME>', 'AWS region; else as the AWS CLI finds it').argParser(regionParser('--region'));

/** Adds the flags that select a cluster and the way to reach it. */
export const withClusterFlags = <Args extends unknown[], Flags extends OptionValues>(command: Command<Args, Flags>) =>
  command
    .option('--cluster <NAME>', 'The EKS cluster; its stack is found by this name')
    .addOption(regionFlag())
    .option('--profile <NAME>', 'Named AWS profile')
    .option('--kubeconfig <FILE>', 'The way to the API server, for clusters outside EKS too')
    .option('--context <NAME>', 'Of the kubeconfig; else its current one')
    .option('--insecure', 'Follow a kubeconfig that skips the check of the server’s certificate');

const CLUSTER_FLAGS = ['--cluster', '--region', '--profile', '--kubeconfig', '--context', '--insecure'];

/**
 * Refuses the flags that select a cluster in a call that reads a snapshot file.
 *
 * @param when - names the file, for example `with --from`
 * @param others - further flags that only a cluster gives a meaning
 * @throws CliError - `bad-value`
 */
export const refuseClusterFlags = (command: CommandUnknownOpts, when: string, others: readonly string[] = []): void =>
  refuseIneffective(command, {
    flags: [...CLUSTER_FLAGS, ...others],
    when,
    why: 'a snapshot file is read instead of a cluster',
    fix: 'leave one of the two out',
  });

/** Keeps only the flags that were given. */
export const pickClusterFlags = (flags: ClusterFlagValues) => {
  const { cluster, region, profile, kubeconfig, context, insecure = false } = flags;
  return { ...withoutUndefined({ cluster, region, profile, kubeconfig, context }), allowInsecure: insecure };
};
