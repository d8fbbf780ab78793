import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { stackName } from '../../infra/stack-name.ts';
import { collect, commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { regionFlag } from '../cluster/cluster-flags.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

export const deployVerb = (run: Run): Verb => ({
  command: withStackFlags(commandOf('deploy', 'Deploys Mortise for an EKS cluster, or upgrades it.'))
    .option('--skip-checks', 'Do not ask cluster and account for what would stop it')
    .action((flags) =>
      run(flags, async (invocation) => {
        const { deploy } = await import('../deploy/deploy.ts');
        const { skipChecks = false } = flags;
        return await deploy({ ...toRequest(flags), skipChecks }, invocation);
      }),
    ),
  examples: [
    ['mortise deploy --cluster shop', 'beside the EKS cluster shop'],
    ['mortise deploy --cluster shop --set maxNodes=200', 'with an option of the stack'],
  ],
});

export const diffVerb = (run: Run): Verb => ({
  command: withStackFlags(commandOf('diff', 'Shows what mortise deploy would change.'))
    .option('--exit-code', 'Exit code 1 if there are differences')
    .action((flags) =>
      run(flags, async (invocation) => {
        const { diff } = await import('../deploy/deploy.ts');
        return await diff({ ...toRequest(flags), exitCode: flags.exitCode ?? false }, invocation);
      }),
    ),
  examples: [['mortise diff --cluster shop', 'before an upgrade']],
});

export const destroyVerb = (run: Run): Verb => ({
  command: withStackFlags(commandOf('destroy', 'Removes the stack, after mortise uninstall.'))
    .option('--yes <NAME>', 'The cluster’s name: go on without asking')
    .option('--keep-nodes', 'Although nodes of Mortise run')
    .action((flags) =>
      run(flags, async (invocation) => {
        const { destroy } = await import('../deploy/deploy.ts');
        const { yes, keepNodes = false, input: mayAsk } = flags;
        const request = { ...toRequest(flags), mayAsk, keepNodes };
        return await destroy({ ...request, ...(yes !== undefined && { yes }) }, invocation);
      }),
    ),
  examples: [
    ['mortise uninstall --cluster shop', 'first: ends all nodes'],
    ['mortise destroy --cluster shop', 'then: removes the stack'],
  ],
});

export const templateVerb = (run: Run): Verb => ({
  command: withClusterAndOptions(
    commandOf('template', 'Writes the stack as a template for CloudFormation and Terraform.'),
  )
    .option('--out <FOLDER>', 'The folder; else Mortise-<CLUSTER>')
    .action((flags) =>
      run(flags, async (invocation) => {
        const { writeTemplate } = await import('../deploy/write-template.ts');
        const { cluster, options } = toRequest(flags);
        const out = flags.out ?? stackName(cluster);
        return await writeTemplate({ cluster, options, out }, invocation);
      }),
    ),
  examples: [
    ['mortise template --cluster shop', 'the folder Mortise-shop, without a call to AWS'],
    ['mortise template --cluster shop --out stack --set maxNodes=200', 'with an option of the stack'],
  ],
});

const withStackFlags = <Args extends unknown[], Flags extends OptionValues>(command: Command<Args, Flags>) =>
  withClusterAndOptions(command).addOption(regionFlag()).option('--profile <NAME>', 'Named AWS profile');

const withClusterAndOptions = <Args extends unknown[], Flags extends OptionValues>(command: Command<Args, Flags>) =>
  command
    .option('--cluster <NAME>', 'The EKS cluster')
    .addOption(
      new Option('--set <NAME=VALUE>', 'An option of the stack (docs/operations.md); repeatable').argParser(collect),
    )
    .addOption(outputFlag());

interface StackFlags {
  readonly cluster?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  readonly set?: readonly string[] | undefined;
}

function toRequest({ cluster, region, profile, set = [] }: StackFlags) {
  if (cluster === undefined) {
    const fix = '--cluster NAME';
    throw fail({ code: 'bad-value', what: 'no cluster is named', where: '--cluster', fix });
  }
  return {
    cluster,
    options: Object.fromEntries(set.map(parseStackOption)),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
  };
}

function parseStackOption(text: string): readonly [string, string] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw fail({
    code: 'bad-value',
    what: `"${text}" is no option of the stack`,
    where: '--set',
    fix: 'write NAME=VALUE, such as maxNodes=200',
  });
}
