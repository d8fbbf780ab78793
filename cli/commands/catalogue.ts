import { withoutUndefined } from '../../shared/model/without-undefined.ts';
import { commandOf, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { regionFlag, regionParser } from '../arguments/regions.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';
import type { Io } from '../terminal/io.ts';

export const catalogueVerb = (run: Run): Verb => ({
  command: commandOf('catalogue', 'Types, zones and prices of a region from AWS, in a file.')
    .addOption(regionFlag('AWS_REGION'))
    .option('--profile <NAME>', 'Named AWS profile of an account in the region')
    .option('--price-list-profile <NAME>', 'For GovCloud: a profile of the standard partition, whose price list has it')
    .option('--out <FILE>', 'The file, packed if it ends with .gz; else REGION.json')
    .option('--force', 'Replace the file if it exists')
    .addOption(outputFlag())
    .action((flags) =>
      run(flags, async (invocation) => {
        const { region = readRegion(invocation.io), profile, priceListProfile, out } = flags;
        const { writeCatalogue } = await import('../catalogue/write-catalogue.ts');
        return await writeCatalogue(
          { region, force: flags.force ?? false, ...withoutUndefined({ profile, priceListProfile, out }) },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise catalogue --region eu-north-1 --profile dev', 'for --catalogue eu-north-1.json'],
    ['mortise catalogue --region us-gov-west-1 --profile gov --price-list-profile dev', 'GovCloud with its prices'],
  ],
});

/** @throws CliError - `missing-region`; `bad-value`: the variable names no region */
function readRegion({ env }: Pick<Io, 'env'>): string {
  const name = ['AWS_REGION', 'AWS_DEFAULT_REGION'].find((variable) => env[variable]);
  if (name !== undefined) return regionParser(name)(env[name] ?? '');
  throw fail({
    code: 'missing-region',
    what: 'no AWS region',
    where: 'catalogue',
    why: 'types, zones and prices are those of a region',
    fix: '--region NAME, or AWS_REGION',
  });
}
