import { Option } from '@commander-js/extra-typings';
import { choiceParser, commandOf, filenameFlag, outputFlag, wholeNumberParser } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { catalogueFlag, regionFlag } from '../arguments/regions.ts';
import {
  ARCHES,
  CAPACITY_TYPES,
  parseArch,
  parseCapacityType,
  parseGpus,
  parseMemory,
  parseRequirement,
  parseVcpus,
  parseZones,
} from '../instance-types/requirement-flags.ts';
import type { Run } from '../invocation.ts';

const SORT_KEYS = ['price', 'name', 'cpu', 'memory', 'pods'] as const;

export const instanceTypesVerb = (run: Run): Verb => ({
  command: commandOf('instance-types', 'The types that a NodePool would get, and why not others.')
    .addOption(filenameFlag())
    .option('-R, --recursive', 'Folders below a directory too')
    .option('--nodepool <NAME>', 'Which of several NodePools')
    .option('--nodeclass <FILE>', 'EC2NodeClass, instead of the one that the NodePool names')
    .addOption(
      new Option('--requirements <EXPR>', "Like a NodePool's: KEY In a,b or KEY Gt 4; repeatable").argParser(
        parseRequirement,
      ),
    )
    .option('--pod <FILE>', 'Pod or workload that one node must have room for')
    .addOption(new Option('--vcpus <RANGE>', 'Like 4-16, 4- or 8').argParser(parseVcpus))
    .addOption(new Option('--memory <RANGE>', 'Like 16Gi-64Gi or 16Gi-').argParser(parseMemory))
    .addOption(new Option('--gpus <N>', 'At least so many; 0: none').argParser(parseGpus))
    .addOption(new Option('--arch <ARCH>', ARCHES.join(', ')).argParser(parseArch))
    .addOption(new Option('--capacity-type <TYPE>', CAPACITY_TYPES.join(', ')).argParser(parseCapacityType))
    .addOption(new Option('--zone <ZONES>', 'Zones, separated by commas').argParser(parseZones))
    .addOption(regionFlag('as the AWS CLI finds it'))
    .addOption(catalogueFlag())
    .option('--profile <NAME>', 'Named AWS profile; EC2 is asked where there are credentials')
    .addOption(
      new Option('--sort <KEY>', SORT_KEYS.join(', '))
        .default('price' as const)
        .argParser(choiceParser('--sort', SORT_KEYS)),
    )
    .addOption(
      new Option('--max-results <N>', 'How many types at most').argParser(
        wholeNumberParser('--max-results', 1, 10_000),
      ),
    )
    .option('--excluded', 'Those that are left out too, each with its reason')
    .option('--why <TYPE>', 'This type alone: its prices, or its reason')
    .addOption(outputFlag(['text', 'wide', 'json', 'yaml', 'name']))
    .action((flags) =>
      run(flags, async (invocation) => {
        const { instanceTypes } = await import('../instance-types/instance-types.ts');
        return await instanceTypes(flags, invocation);
      }),
    ),
  examples: [
    ['mortise instance-types -f pools.yaml --nodepool general', 'what this pool would get'],
    ['mortise instance-types --vcpus 4-8 --memory 16Gi- --arch arm64', 'without any manifest'],
    ["mortise instance-types --requirements 'karpenter.k8s.aws/instance-category In c,m'", 'two categories'],
    ['mortise instance-types -f pools.yaml --why m7g.2xlarge', 'why a type is not among them'],
  ],
});
