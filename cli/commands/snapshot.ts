import { Option } from '@commander-js/extra-typings';
import { choiceParser, commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { withClusterFlags } from '../cluster/cluster-flags.ts';
import { chooseClusterToRead } from '../cluster/current-context.ts';
import type { Run } from '../invocation.ts';

export const snapshotVerb = (run: Run): Verb => ({
  command: withClusterFlags(commandOf('snapshot', 'A live cluster as the planner sees it, in a file. Reads only.'))
    .option('--out <FILE>', 'The file; else CLUSTER-TIME.snapshot.json.gz')
    .option('--force', 'Replace the file if it exists')
    .addOption(
      new Option('--redact <WHAT>', 'names: hashes instead of the names of pods and nodes')
        .default('none' as const)
        .argParser(choiceParser('--redact', ['none', 'names'])),
    )
    .addOption(outputFlag())
    .action((flags) =>
      run(flags, async (invocation) => {
        const { takeSnapshot } = await import('../record/take-snapshot.ts');
        const { out, force = false, redact } = flags;
        return await takeSnapshot(
          {
            ...(await chooseClusterToRead(flags, invocation)),
            force,
            redact,
            ...(out !== undefined && { out }),
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise snapshot --cluster shop', 'for a bug report, or to replay it'],
    ['mortise snapshot --kubeconfig ~/.kube/config --out before.json.gz', 'without a stack'],
  ],
});
