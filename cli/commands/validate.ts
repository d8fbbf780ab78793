import { Option } from '@commander-js/extra-typings';
import { commandOf, filenameFlag, outputFlag } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { catalogueFlag, regionFlag } from '../arguments/regions.ts';
import { MIN_MINOR_VERSION } from '../cluster/cluster-requirements.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

const DEFAULT_MINOR = 36;

export const validateVerb = (run: Run): Verb => ({
  command: commandOf('validate', 'The verdict of the API server, and of the controllers, on manifests.')
    .addOption(filenameFlag())
    .option('-R, --recursive', 'Folders below a directory too')
    .addOption(
      new Option('--kubernetes <VERSION>', `Version of the cluster, 1.${MIN_MINOR_VERSION} or newer`)
        .default(DEFAULT_MINOR, '1.36')
        .argParser(kubernetesMinor),
    )
    .addOption(regionFlag('types of all regions count'))
    .addOption(catalogueFlag())
    .addOption(outputFlag(['text', 'json', 'yaml']))
    .action((flags) =>
      run(flags, async (invocation) => {
        const paths = pathsOf(flags.filename);
        const { validate } = await import('../manifests/validate.ts');
        return await validate(
          {
            paths,
            recursive: flags.recursive ?? false,
            kubernetesMinor: flags.kubernetes,
            region: flags.region,
            catalogue: flags.catalogue,
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise validate -f pools.yaml', 'what `kubectl apply` would say, without a cluster'],
    ['mortise validate -f k8s/ -R -o json', 'in CI: exit 1 if an object is refused or unusable'],
    ['kubectl get nodepools,ec2nodeclasses -o yaml | mortise validate -f -', 'before an upgrade'],
    ['mortise validate -f pools.yaml --region eu-north-1', 'with the types of one region'],
  ],
});

/** Parses the minor version of `1.36`, `v1.36` or `1.36.2`. */
function kubernetesMinor(version: string): number {
  const [, minor = ''] = /^v?1\.(\d{2})(?:\.\d+)?$/.exec(version) ?? [];
  if (Number(minor) >= MIN_MINOR_VERSION) return Number(minor);
  throw fail({
    code: 'bad-value',
    what: `"${version}" is no version of Kubernetes that Mortise supports`,
    where: '--kubernetes',
    why: `allowed are 1.${MIN_MINOR_VERSION} and newer, written like 1.36`,
  });
}

function pathsOf(paths: readonly string[] | undefined): readonly string[] {
  if (paths !== undefined) return paths;
  throw fail({
    code: 'no-manifests',
    what: 'nothing to validate',
    where: 'validate',
    why: 'no file was named',
    fix: '-f PATH',
  });
}
