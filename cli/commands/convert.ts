import { Option } from '@commander-js/extra-typings';
import { choiceParser, commandOf, type Format, filenameFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

export const convertVerb = (run: Run): Verb => ({
  command: commandOf('convert', 'Manifests of v1alpha5 and v1beta1, rewritten for v1.')
    .addOption(filenameFlag())
    .option('-R, --recursive', 'Folders below a directory too')
    .addOption(new Option('--to <VERSION>', 'v1').default('v1').argParser(choiceParser('--to', ['v1'])))
    .option('--role <NAME>', 'IAM role of nodes where the old object names none')
    .option('--ignore-defaults', 'Do not write out what alpha asked for unwritten')
    .addOption(
      new Option('-o, --output <FORMAT>', 'yaml, json')
        .default('yaml' as Format)
        .argParser(choiceParser('--output', ['yaml', 'json'])),
    )
    .action((flags) =>
      run(flags, async (invocation) => {
        const paths = pathsOf(flags.filename);
        const { convert } = await import('../manifests/convert.ts');
        return await convert(
          {
            paths,
            recursive: flags.recursive ?? false,
            ignoreDefaults: flags.ignoreDefaults ?? false,
            ...(flags.role !== undefined && { role: flags.role }),
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise convert -f old/ --role KarpenterNodeRole > v1.yaml', 'read what stderr says, then apply'],
    ['kubectl get provisioners,awsnodetemplates -o yaml | mortise convert -f -', 'from a cluster'],
  ],
});

function pathsOf(paths: readonly string[] | undefined): readonly string[] {
  if (paths !== undefined) return paths;
  throw fail({
    code: 'no-manifests',
    what: 'nothing to convert',
    where: 'convert',
    why: 'no file was named',
    fix: '-f PATH',
  });
}
