import { Option } from '@commander-js/extra-typings';
import { commandOf, outputFlag, wholeNumberParser } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { pickClusterFlags, refuseClusterFlags, withClusterFlags } from '../cluster/cluster-flags.ts';
import { chooseClusterToRead } from '../cluster/current-context.ts';
import type { Run } from '../invocation.ts';

export const consoleVerb = (run: Run): Verb => ({
  command: withClusterFlags(
    commandOf('console', 'The page for a live cluster, whatever scales it. Reads only, on loopback.'),
  )
    .option('--from <FILE>', 'Show a snapshot file instead of a cluster')
    .addOption(
      new Option('--port <N>', 'Exactly this port; else the first free one from 7070').argParser(
        wholeNumberParser('--port', 0, 65_535),
      ),
    )
    .addOption(outputFlag(['text', 'json']))
    .action((flags, command) =>
      run(flags, async (invocation) => {
        const { from, port } = flags;
        if (from !== undefined) refuseClusterFlags(command, 'with --from');
        const { openConsole } = await import('../console/console.ts');
        return await openConsole(
          {
            ...(from === undefined ? await chooseClusterToRead(flags, invocation) : pickClusterFlags(flags)),
            ...(from !== undefined && { from }),
            ...(port !== undefined && { port }),
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise console', 'the current context of your kubeconfig'],
    ['mortise console --context staging', 'another context'],
    ['mortise console --cluster shop --region eu-west-1', 'an EKS cluster by its name'],
    ['mortise console --from shop.snapshot.json.gz', 'a snapshot, without a cluster'],
  ],
});
