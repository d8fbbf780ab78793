import { Option } from '@commander-js/extra-typings';
import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import type { Run } from '../invocation.ts';
import { parseSettingChange, type SettingChange } from '../record/setting-change.ts';

export const replayVerb = (run: Run): Verb => ({
  command: commandOf('replay', 'Recorded decisions made again: byte for byte, or otherwise.')
    .argument('<file>')
    .option('--decision <ID>', 'Only this decision')
    .addOption(
      new Option(
        '--set <FIELD=VALUE>',
        'Another setting, such as perNodeHourlyUsd=0.03; repeatable',
      ).argParser((value: string, previous: readonly SettingChange[] | undefined) => [
        ...(previous ?? []),
        parseSettingChange(value),
      ]),
    )
    .addOption(outputFlag(['text', 'json', 'yaml', 'name']))
    .action((file, flags) =>
      run(flags, async (invocation) => {
        const { replay } = await import('../record/replay.ts');
        const { decision, set: changes = [] } = flags;
        return await replay(
          { file, changes, ...(decision === undefined ? {} : { decision }) },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise replay shop.snapshot.json.gz', 'exit 1 if a decision differs'],
    ['mortise replay shop.snapshot.json.gz --set perNodeHourlyUsd=0.03', 'what it would change'],
  ],
});
