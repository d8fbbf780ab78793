import { Option } from '@commander-js/extra-typings';
import { SECOND_MS } from '../../shared/model/time.ts';
import { choiceParser, commandOf, durationParser, wholeNumberParser } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { refuseIneffective } from '../arguments/ineffective-flags.ts';
import { pickClusterFlags, withClusterFlags } from '../cluster/cluster-flags.ts';
import type { SetupValues } from '../controller/print-setup.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

const DEFAULT_GRACE_MS = 25 * SECOND_MS;

export const controllerVerb = (run: Run): Verb => ({
  command: withClusterFlags(commandOf('controller', 'A cluster’s controllers in one process, outside the cluster.'))
    .option('--dry-run', 'Decide and report, and act on nothing: beside Karpenter too')
    .option('--take-over', 'Make the functions stand back until the end')
    .option('--console', 'Serve the console too, on loopback')
    .addOption(
      new Option('--port <N>', 'Port of the console; else the first free one from 7070').argParser(
        wholeNumberParser('--port', 0, 65_535),
      ),
    )
    .addOption(
      new Option(
        '--print-setup <PART>',
        'kubernetes (CRDs, RBAC), iam, or stack: rights on the records of the stack',
      ).argParser(choiceParser('--print-setup', ['kubernetes', 'iam', 'stack'])),
    )
    .option('--account <ID>', 'For --print-setup iam')
    .option('--node-role <NAME>', 'For --print-setup iam: the role that nodes get')
    .addOption(
      new Option('--grace <DURATION>', 'For steps under way when it is told to stop')
        .default(DEFAULT_GRACE_MS, '25s')
        .argParser(durationParser('--grace')),
    )
    .addOption(
      new Option('-o, --output <FORMAT>', 'json, text')
        .default('json' as const)
        .argParser(choiceParser('--output', ['json', 'text'])),
    )
    .action((flags, command) =>
      run(flags, async (invocation) => {
        const { dryRun = false, takeOver = false, quiet = false } = flags;
        if (dryRun && takeOver) throw refuseTakeOverInDryRun();
        if (!flags.console) refuseIneffective(command, ONLY_WITH_CONSOLE);
        if (flags.printSetup !== 'iam') refuseIneffective(command, ONLY_WITH_IAM);
        if (flags.printSetup !== undefined) {
          const { printSetup } = await import('../controller/print-setup.ts');
          return await printSetup(flags.printSetup, pickSetupValues(flags), invocation.io.env, async () => {
            const { findStack } = await import('../cluster/find-stack.ts');
            return flags.cluster === undefined ? undefined : findStack(flags.cluster, flags);
          });
        }
        const { startController } = await import('../controller/start-controller.ts');
        return await startController(
          {
            ...pickClusterFlags(flags),
            dryRun,
            takeOver,
            quiet,
            ...(flags.console && {
              console: flags.port === undefined ? {} : { port: flags.port },
            }),
            graceMs: flags.grace,
            format: flags.output,
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise controller --cluster shop', 'instead of the functions, over the same records'],
    ['mortise controller --cluster shop --take-over', 'at once, while they are at work'],
    ['mortise controller --kubeconfig admin.conf --region eu-west-1', 'a cluster without EKS'],
    ['mortise controller --cluster shop --console', 'with the page of its cluster'],
    ['mortise controller --cluster shop --dry-run -o text', 'what it would do, and no more'],
    ['mortise controller --print-setup kubernetes | kubectl apply -f -', 'without a stack: first'],
  ],
});

const ONLY_WITH_CONSOLE = {
  flags: ['--port'],
  when: 'without --console',
  why: 'it is the port of the console',
  fix: 'add --console, or leave it out',
};

const ONLY_WITH_IAM = {
  flags: ['--account', '--node-role'],
  when: 'without --print-setup iam',
  why: 'only the printed policy contains it',
  fix: 'add --print-setup iam, or leave it out',
};

const refuseTakeOverInDryRun = () =>
  fail({
    code: 'bad-value',
    what: '--dry-run takes nothing over',
    where: 'controller',
    why: 'it acts on nothing',
    fix: 'leave one of the two out',
  });

const pickSetupValues = ({ cluster, region, account, nodeRole }: SetupValues): SetupValues => ({
  ...{ cluster, region, account, nodeRole },
});
