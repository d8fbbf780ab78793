import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { findDecisionTime } from '../../shared/model/decision-time.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import { commandOf, durationParser, filenameFlag, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { refuseIneffective } from '../arguments/ineffective-flags.ts';
import { pickClusterFlags, refuseClusterFlags, withClusterFlags } from '../cluster/cluster-flags.ts';
import { chooseClusterToRead } from '../cluster/current-context.ts';
import type { Run } from '../invocation.ts';
import { parseSettingChange, type SettingChange } from '../record/setting-change.ts';

export const replayVerb = (run: Run): Verb => ({
  command: withClusterFlags(commandOf('replay', 'Recorded decisions made again: byte for byte, or otherwise.'))
    .argument('[file]', 'A snapshot file, or the id of a decision in the record of a cluster')
    .addOption(
      new Option('--since <DURATION>', 'All decisions in the record since, like 2h').argParser(
        durationParser('--since'),
      ),
    )
    .option('--decision <ID>', 'Only this decision of the file')
    .addOption(
      new Option('--set <FIELD=VALUE>', 'Another setting, such as perNodeHourlyUsd=0.03; repeatable').argParser(
        (value: string, previous: readonly SettingChange[] | undefined) => [
          ...(previous ?? []),
          parseSettingChange(value),
        ],
      ),
    )
    .addOption(filenameFlag())
    .addOption(outputFlag())
    .action((subject, flags, command) =>
      run(flags, async (invocation) => {
        const { decision, since: sinceMs, set: changes = [], filename: manifests = [] } = flags;
        if (sinceMs === undefined) refuseIneffectiveWith(subject, command);
        else refuseDecision(command, 'with --since');
        const { replay } = await import('../record/replay.ts');
        const request = {
          ...(readsRecord(subject, sinceMs) ? await chooseClusterToRead(flags, invocation) : pickClusterFlags(flags)),
          ...{ changes, manifests },
          ...withoutUndefined({ subject, sinceMs, decision }),
        };
        return await replay(request, invocation);
      }),
    ),
  examples: [
    ['mortise replay shop.snapshot.json.gz', 'exit 1 if a decision differs'],
    ['mortise replay --since 2h --cluster shop', 'from the record of its stack'],
    ['mortise replay shop.snapshot.json.gz --set perNodeHourlyUsd=0.03', 'what it would change'],
    ['mortise replay p-20261121T143209Z-4k7q --cluster shop -f pools.yaml', 'with other NodePools'],
  ],
});

/** True if the decisions are those of a cluster's record instead of a file's. */
const readsRecord = (subject: string | undefined, sinceMs: number | undefined): boolean =>
  sinceMs !== undefined || (subject !== undefined && findDecisionTime(subject) !== undefined);

/**
 * @param subject - a file, or the id of a decision in the record of a cluster
 * @throws CliError - `bad-value`: a flag of the call would be ignored
 */
function refuseIneffectiveWith(subject: string | undefined, command: CommandUnknownOpts): void {
  if (subject === undefined) return;
  if (findDecisionTime(subject) === undefined) refuseClusterFlags(command, `with ${subject}`);
  else refuseDecision(command, `with ${subject}`);
}

const refuseDecision = (command: CommandUnknownOpts, when: string): void =>
  refuseIneffective(command, {
    flags: ['--decision'],
    when,
    why: 'it selects a decision of a snapshot file',
    fix: 'leave one of the two out',
  });
