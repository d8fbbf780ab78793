import { Option } from '@commander-js/extra-typings';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { commandOf, durationParser, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { parseSubject } from '../arguments/subject-argument.ts';
import { withClusterFlags } from '../cluster/cluster-flags.ts';
import { chooseClusterToRead } from '../cluster/current-context.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

const SUBJECT = { verb: 'logs', kinds: ['node'], unnamed: 'one node must be named', refused: 'has no logs here' };

export const logsVerb = (run: Run): Verb => ({
  command: withClusterFlags(
    commandOf('logs', 'The console and the boot log of a node, also of one that does not join.'),
  )
    .argument('<kind>')
    .argument('[name]')
    .option('--boot-log', 'Also the journal, which a command of SSM reads on the instance')
    .addOption(
      new Option('--timeout <DURATION>', 'For the answer of SSM')
        .default(MINUTE_MS, '1m')
        .argParser(durationParser('--timeout')),
    )
    .addOption(outputFlag())
    .action((kind, name, flags) =>
      run(flags, async (invocation) => {
        const subject = parseSubject(kind, name, SUBJECT);
        const { bootLog = false, timeout } = flags;
        // A command that runs on an instance needs the name of its cluster.
        if (bootLog && flags.cluster === undefined && flags.kubeconfig === undefined) {
          throw fail({
            ...{ code: 'bad-value', what: 'no cluster is named', where: '--boot-log' },
            ...{ why: 'it runs a command on the instance', fix: '--cluster NAME' },
          });
        }
        const choice = await chooseClusterToRead(flags, invocation);
        const { nodeLogs } = await import('../logs/node-logs.ts');
        return await nodeLogs({ ...choice, name: subject, bootLog, timeoutMs: timeout }, invocation);
      }),
    ),
  examples: [
    ['mortise logs node general-7xk2p --cluster shop', 'by its NodeClaim: it has no Node yet'],
    ['mortise logs node i-0a1b2c3d4e5f60718 --cluster shop --boot-log', 'with its journal'],
  ],
});
