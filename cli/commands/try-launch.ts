import { Option } from '@commander-js/extra-typings';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import { commandOf, durationParser, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { pickClusterFlags, withClusterFlags } from '../cluster/cluster-flags.ts';
import type { Run } from '../invocation.ts';

/** Kubelets of large instances take two minutes to register. */
const DEFAULT_TIMEOUT_MS = 5 * MINUTE_MS;

export const tryLaunchVerb = (run: Run): Verb => ({
  command: withClusterFlags(
    commandOf('try-launch', 'Launches one node for a pod of its own, times it, and removes both.'),
  )
    .option('--nodepool <NAME>', 'The NodePool; else the only one')
    .option('--instance-type <TYPE>', 'Only this type')
    .option('-n, --namespace <NAME>', 'Of the pod', 'default')
    .option('--report <FILE>', 'The report, without names; else try-launch-<TIME>.json')
    .option('--yes <NAME>', 'The cluster’s name: go on without asking')
    .addOption(
      new Option('--timeout <DURATION>', 'For each phase')
        .default(DEFAULT_TIMEOUT_MS, '5m')
        .argParser(durationParser('--timeout')),
    )
    .addOption(outputFlag())
    .action((flags) =>
      run(flags, async (invocation) => {
        const { tryLaunch } = await import('../try-launch/try-launch.ts');
        const { nodepool, instanceType, report, yes, namespace } = flags;
        return await tryLaunch(
          {
            ...pickClusterFlags(flags),
            ...withoutUndefined({ nodePool: nodepool, instanceType, reportFile: report, yes }),
            ...{ namespace, mayAsk: flags.input, timeoutMs: flags.timeout },
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise try-launch --cluster shop', 'shows what it would create, and asks'],
    ['mortise try-launch --cluster shop --nodepool general --yes shop', 'one node of this NodePool'],
    ['mortise try-launch --cluster shop --instance-type m7g.large --yes shop', 'of this type'],
  ],
});
