import { Option } from '@commander-js/extra-typings';
import { SECOND_MS } from '../../shared/model/time.ts';
import { fail } from '../errors.ts';
import { choiceFor, commandOf, durationFor } from '../flags.ts';
import type { Verb } from '../help.ts';
import type { Run } from '../invocation.ts';

const DEFAULT_GRACE_MS = 25 * SECOND_MS;

export const controllerVerb = (run: Run): Verb => ({
  command: commandOf('controller', 'A cluster’s controllers in one process, outside the cluster.')
    .option('--cluster <NAME>', 'The EKS cluster to serve; its stack is found by this name')
    .option('--region <NAME>', 'AWS region; else as the AWS CLI finds it')
    .option('--profile <NAME>', 'Named AWS profile')
    .option('--kubeconfig <FILE>', 'The way to the API server, for clusters outside EKS too')
    .option('--context <NAME>', 'Of the kubeconfig; else its current one')
    .option('--insecure', 'Follow a kubeconfig that skips the check of the server’s certificate')
    .option('--dry-run', 'Decide and report, and act on nothing: beside Karpenter too')
    .option('--take-over', 'Make the functions stand back until the end')
    .addOption(
      new Option('--grace <DURATION>', 'For steps under way when it is told to stop')
        .default(DEFAULT_GRACE_MS, '25s')
        .argParser(durationFor('--grace')),
    )
    .addOption(
      new Option('-o, --output <FORMAT>', 'json, text')
        .default('json' as const)
        .argParser(choiceFor('--output', ['json', 'text'])),
    )
    .action((flags) =>
      run(flags, async (invocation) => {
        const { dryRun = false, takeOver = false, insecure = false, quiet = false } = flags;
        if (dryRun && takeOver) throw neitherNor();
        const { startController } = await import('../controller/start-controller.ts');
        return await startController(
          {
            ...clusterFlags(flags),
            allowInsecure: insecure,
            dryRun,
            takeOver,
            quiet,
            graceMs: flags.grace,
            format: flags.output,
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise controller --cluster shop', 'instead of the functions, over the same records'],
    ['mortise controller --cluster shop --take-over', 'at once, while they are at work'],
    ['mortise controller --kubeconfig admin.conf --region eu-west-1', 'a cluster without EKS'],
    ['mortise controller --cluster shop --dry-run -o text', 'what it would do, and no more'],
  ],
});

interface ClusterFlags {
  readonly cluster?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** Only what was given. */
const clusterFlags = ({ cluster, region, profile, kubeconfig, context }: ClusterFlags) => ({
  ...(cluster === undefined ? {} : { cluster }),
  ...(region === undefined ? {} : { region }),
  ...(profile === undefined ? {} : { profile }),
  ...(kubeconfig === undefined ? {} : { kubeconfig }),
  ...(context === undefined ? {} : { context }),
});

const neitherNor = () =>
  fail({
    code: 'bad-value',
    what: '--dry-run takes nothing over',
    where: 'controller',
    why: 'it acts on nothing',
    fix: 'leave one of the two out',
  });
