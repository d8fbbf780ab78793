import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { parseSubject } from '../arguments/subject-argument.ts';
import { withClusterFlags } from '../cluster/cluster-flags.ts';
import { chooseClusterToRead } from '../cluster/current-context.ts';
import type { Run } from '../invocation.ts';

const SUBJECT = {
  verb: 'describe',
  kinds: ['nodeclaim', 'nodeclaims'],
  unnamed: 'one NodeClaim must be named',
  refused: 'cannot be described',
};

export const describeVerb = (run: Run): Verb => ({
  command: withClusterFlags(commandOf('describe', 'The life of a NodeClaim: each phase with its time and duration.'))
    .argument('<kind>')
    .argument('[name]')
    .addOption(outputFlag())
    .action((kind, name, flags) =>
      run(flags, async (invocation) => {
        const subject = parseSubject(kind, name, SUBJECT);
        const { describeNodeClaim } = await import('../describe/describe.ts');
        const choice = await chooseClusterToRead(flags, invocation);
        return await describeNodeClaim(choice, subject, invocation);
      }),
    ),
  examples: [
    ['mortise describe nodeclaim general-7xk2p --cluster shop', 'with the record of its stack'],
    ['mortise describe nodeclaim/general-7xk2p --kubeconfig ~/.kube/config', 'live objects'],
  ],
});
