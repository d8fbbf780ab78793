import { Option } from '@commander-js/extra-typings';
import { choiceParser, commandOf, filenameFlag, outputFlag, wholeNumberParser } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { catalogueFlag, regionFlag, zonesParser } from '../arguments/regions.ts';
import { SORT_KEYS } from '../instance-types/sort-types.ts';
import type { Run } from '../invocation.ts';

const ARCHES = ['amd64', 'arm64'] as const;
const CAPACITY_TYPES = ['on-demand', 'spot'] as const;

export const instanceTypesVerb = (run: Run): Verb => ({
  command: commandOf('instance-types', 'The types that a NodePool would get, and why not others.')
    .addOption(filenameFlag())
    .option('-R, --recursive', 'Folders below a directory too')
    .option('--nodepool <NAME>', 'Which of several NodePools')
    .option('--nodeclass <FILE>', 'EC2NodeClass, instead of the one that the NodePool names')
    .option('--requirements <EXPR>', 'Label selector, with bounds: key in (a,b),key>4')
    .option('--pod <FILE>', 'Pod or workload that one node must have room for')
    .option('--vcpus <RANGE>', 'Like 4-16, 4- or 8')
    .option('--memory <RANGE>', 'Like 16Gi-64Gi or 16Gi-')
    .addOption(new Option('--gpus <N>', 'At least so many; 0: none').argParser(wholeNumberParser('--gpus', 0, 64)))
    .addOption(new Option('--arch <ARCH>', ARCHES.join(', ')).argParser(choiceParser('--arch', ARCHES)))
    .addOption(
      new Option('--capacity-type <TYPE>', CAPACITY_TYPES.join(', ')).argParser(
        choiceParser('--capacity-type', CAPACITY_TYPES),
      ),
    )
    .addOption(new Option('--zone <ZONES>', 'Zones, separated by commas').argParser(zonesParser('--zone')))
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
        const { vcpus, memory, gpus, arch, capacityType, zone } = flags;
        const { nodepool, nodeclass, pod, requirements, region, profile, maxResults, why } = flags;
        const { catalogue } = flags;
        return await instanceTypes(
          {
            paths: flags.filename ?? [],
            recursive: flags.recursive ?? false,
            sort: flags.sort,
            showExcluded: flags.excluded ?? false,
            demands: { vcpus, memory, gpus, arch, capacityType, zone },
            nodePool: nodepool,
            nodeClassFile: nodeclass,
            podFile: pod,
            requirements,
            region,
            catalogue,
            profile,
            maxResults,
            why,
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise instance-types -f pools.yaml --nodepool general', 'what this pool would get'],
    ['mortise instance-types --vcpus 4-8 --memory 16Gi- --arch arm64', 'without any manifest'],
    ["mortise instance-types --requirements 'karpenter.k8s.aws/instance-category in (c,m)'", ''],
    ['mortise instance-types -f pools.yaml --why m7g.2xlarge', 'why a type is not among them'],
  ],
});
