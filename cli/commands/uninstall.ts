import { Option } from '@commander-js/extra-typings';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { choiceParser, commandOf, durationParser, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { pickClusterFlags, withClusterFlags } from '../cluster/cluster-flags.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

const DEFAULT_TIMEOUT_MS = 30 * MINUTE_MS;

export const uninstallVerb = (run: Run): Verb => ({
  command: withClusterFlags(commandOf('uninstall', 'Takes Mortise out of a cluster, before cdk destroy.'))
    .addOption(
      new Option('--nodes <FATE>', 'drain, hand-over')
        .default('drain' as const)
        .argParser(choiceParser('--nodes', ['drain', 'hand-over'])),
    )
    .option('--crds', 'Delete our CRDs too, and with them every NodePool')
    .option('--yes <NAME>', 'The cluster’s name: go on without asking')
    .option('--dry-run', 'Show what would go, and change nothing')
    .addOption(
      new Option('--timeout <DURATION>', 'For all nodes together')
        .default(DEFAULT_TIMEOUT_MS, '30m')
        .argParser(durationParser('--timeout')),
    )
    .addOption(outputFlag(['text', 'json']))
    .action((flags) =>
      run(flags, async (invocation) => {
        const { nodes, crds = false, dryRun = false } = flags;
        if (crds && nodes === 'hand-over') throw refuseCrdsOfHandOver();
        const { uninstall } = await import('../uninstall/uninstall.ts');
        return await uninstall(
          {
            ...pickClusterFlags(flags),
            nodes,
            crds,
            dryRun,
            ...(flags.yes !== undefined && { yes: flags.yes }),
            mayAsk: flags.input,
            timeoutMs: flags.timeout,
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise uninstall --cluster shop', 'shows what would go, and asks'],
    ['mortise uninstall --cluster shop --yes shop', 'drains and ends all nodes'],
    ['mortise uninstall --cluster shop --nodes hand-over', 'leaves them to Karpenter'],
  ],
});

const refuseCrdsOfHandOver = () =>
  fail({
    code: 'bad-value',
    what: '--crds takes from Karpenter what --nodes hand-over gives it',
    where: 'uninstall',
    why: 'without the definitions every NodePool and NodeClaim is gone',
    fix: 'leave --crds out',
  });
