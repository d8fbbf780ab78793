import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import type { Subject, SubjectKind } from '../../shared/explain/explanation.ts';
import { ownValue } from '../../shared/model/own-value.ts';
import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { refuseIneffective } from '../arguments/ineffective-flags.ts';
import { momentParser } from '../arguments/moments.ts';
import { pickClusterFlags, refuseClusterFlags, withClusterFlags } from '../cluster/cluster-flags.ts';
import { chooseClusterToRead } from '../cluster/current-context.ts';
import { fail } from '../errors.ts';
import type { ExplainRequest } from '../explain/explain.ts';
import type { Run } from '../invocation.ts';

export const explainVerb = (run: Run): Verb => ({
  command: withClusterFlags(commandOf('explain', 'Why a pod waits or runs where it does, why a node stays or goes.'))
    .argument('[kind]')
    .argument('[names...]')
    .option('-n, --namespace <NAME>', 'Of the pods; else it is part of the name, or default')
    .option('--from <FILE>', 'A snapshot file instead of a cluster')
    .addOption(
      new Option('--at <TIME>', 'From the record: RFC 3339, 14:32 (today) or -2h').argParser(
        momentParser('--at', () => Date.now()),
      ),
    )
    .option('--live', 'Decide now on live objects, also if there is a record')
    .option('--pending', 'Every pending pod instead of NAME')
    .option('--print-role', 'The ClusterRole that the command needs')
    .addOption(outputFlag())
    .action((kind, names, flags, command) =>
      run(flags, async (invocation) => {
        if (flags.printRole) return await printRole();
        refuseContradictions(flags, kind, command);
        const { explain } = await import('../explain/explain.ts');
        const { from, at, live, namespace, pending } = flags;
        const subjects = pending ? 'pending' : parseSubjects(kind, names, namespace ?? 'default');
        const request: ExplainRequest = {
          ...(from === undefined ? await chooseClusterToRead(flags, invocation) : pickClusterFlags(flags)),
          subjects,
          ...withoutUndefined({ namespace, from, at }),
          ...(live && { live }),
        };
        return await explain(request, invocation);
      }),
    ),
  examples: [
    ['mortise explain pod web/checkout-6c9d-x2v8q --cluster shop', 'now'],
    ['mortise explain node ip-10-0-41-17 --cluster shop --at -2h', 'from the record'],
    ['mortise explain pod web/checkout-1 web/checkout-2', 'the cluster is read once'],
    ['mortise explain --pending --from shop.snapshot.json.gz', 'each pod that waits'],
  ],
});

interface SourceFlags {
  readonly from?: string | undefined;
  readonly at?: number | undefined;
  readonly pending?: true | undefined;
}

/** @throws CliError - `bad-value`: a part of the call would be ignored */
function refuseContradictions(
  { from, at, pending }: SourceFlags,
  kind: string | undefined,
  command: CommandUnknownOpts,
): void {
  const fix = 'leave one of the two out';
  if (from !== undefined) refuseClusterFlags(command, 'with --from', ['--live']);
  if (at !== undefined) {
    const why = 'the record is read for a moment that has passed';
    refuseIneffective(command, { flags: ['--live'], when: 'with --at', why, fix });
  }
  if (!pending) return;
  if (kind === undefined) return;
  throw fail({
    code: 'bad-value',
    what: `${kind} has no effect with --pending`,
    where: 'explain',
    why: 'every pending pod is explained',
    fix,
  });
}

const KINDS: Readonly<Record<string, SubjectKind>> = {
  pod: 'pod',
  pods: 'pod',
  node: 'node',
  nodes: 'node',
  nodeclaim: 'nodeclaim',
  nodeclaims: 'nodeclaim',
  nodepool: 'nodepool',
  nodepools: 'nodepool',
};

/** Accepts `KIND NAME...` and `KIND/NAME...`; the name of a pod may contain its namespace. */
function parseSubjects(kind = '', names: readonly string[], namespace: string): readonly [Subject, ...Subject[]] {
  const written = kind.includes('/') ? [kind, ...names] : names.map((name) => `${kind}/${name}`);
  const [first, ...more] = [...new Set(written)].map((one) => parseSubject(one, namespace));
  if (first) return [first, ...more];
  const subjectKind = ownValue(KINDS, kind);
  if (subjectKind !== undefined) throw cannotExplain(`no ${subjectKind} is named`);
  throw cannotExplain(kind === '' ? 'no object is named' : `"${kind}" cannot be explained`);
}

function parseSubject(written: string, namespace: string): Subject {
  const [head = '', ...tail] = written.split('/');
  const kind = ownValue(KINDS, head);
  if (kind === undefined) throw cannotExplain(`"${head}" cannot be explained`);
  const name = tail.join('/');
  if (name === '') throw cannotExplain(`no ${kind} is named`);
  return { kind, name: kind !== 'pod' || name.includes('/') ? name : `${namespace}/${name}` };
}

const cannotExplain = (what: string) =>
  fail({
    code: 'bad-value',
    what,
    where: 'explain',
    fix: 'mortise explain (pod|node|nodeclaim|nodepool) NAME..., or --pending',
  });

async function printRole(): Promise<Answer> {
  const { buildReaderRole } = await import('../explain/reader-role.ts');
  const { stringify } = await import('yaml');
  const role = buildReaderRole();
  const asYaml = stringify(role);
  return wholeAnswer({
    kind: 'ClusterRole',
    result: role,
    names: [`clusterrole/${role.metadata.name}`],
    text: () => asYaml,
    manifests: (format) => (format === 'json' ? `${JSON.stringify(role)}\n` : asYaml),
  });
}
