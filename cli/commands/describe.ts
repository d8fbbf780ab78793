import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { withClusterFlags } from '../cluster/cluster-flags.ts';
import { chooseClusterToRead } from '../cluster/current-context.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

const KINDS: ReadonlySet<string> = new Set(['nodeclaim', 'nodeclaims']);

export const describeVerb = (run: Run): Verb => ({
  command: withClusterFlags(commandOf('describe', 'The life of a NodeClaim: each phase with its time and duration.'))
    .argument('<kind>')
    .argument('[name]')
    .addOption(outputFlag(['text', 'json', 'yaml', 'name']))
    .action((kind, name, flags) =>
      run(flags, async (invocation) => {
        const subject = parseSubject(kind, name);
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

/** Accepts `KIND NAME` and `KIND/NAME`. */
function parseSubject(kind: string, name: string | undefined): string {
  const [head = '', tail] = kind.split('/');
  const named = name ?? tail;
  if (KINDS.has(head) && named !== undefined && (name === undefined || tail === undefined)) {
    return named;
  }
  throw fail({
    code: 'bad-value',
    what: KINDS.has(head) ? 'one NodeClaim must be named' : `"${head}" cannot be described`,
    where: 'describe',
    fix: 'mortise describe nodeclaim NAME',
  });
}
