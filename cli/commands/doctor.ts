import { Option } from '@commander-js/extra-typings';
import { choiceParser, commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { withClusterFlags } from '../cluster/cluster-flags.ts';
import { chooseClusterToRead } from '../cluster/current-context.ts';
import { CHECK_GROUPS } from '../documents/check-groups.ts';
import type { Run } from '../invocation.ts';

export const doctorVerb = (run: Run): Verb => ({
  command: withClusterFlags(commandOf('doctor', 'Checks cluster, account and stack; changes nothing.'))
    .addOption(new Option('--only <GROUP>', CHECK_GROUPS.join(', ')).argParser(choiceParser('--only', CHECK_GROUPS)))
    .option('--strict', 'Exit code 1 for warnings too')
    .addOption(outputFlag())
    .action((flags) =>
      run(flags, async (invocation) => {
        const { doctor } = await import('../doctor/doctor.ts');
        const { only, strict = false } = flags;
        const request = { ...(await chooseClusterToRead(flags, invocation)), strict };
        return await doctor({ ...request, ...(only !== undefined && { only }) }, invocation);
      }),
    ),
  examples: [
    ['mortise doctor --cluster shop', 'each finding with its fix'],
    ['mortise doctor --cluster shop --only nodes', 'why do nodes not join?'],
  ],
});
