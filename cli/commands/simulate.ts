import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { HOUR_MS } from '../../shared/model/time.ts';
import {
  choiceParser,
  commandOf,
  durationParser,
  filenameFlag,
  outputFlag,
  type Speed,
  speedParser,
  wholeNumberParser,
} from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { refuseIneffective } from '../arguments/ineffective-flags.ts';
import { catalogueFlag, regionFlag } from '../arguments/regions.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

const DEFAULT_FOR_MS = 2 * HOUR_MS;

export const simulateVerb = (run: Run): Verb => ({
  command: commandOf('simulate', 'Your manifests in virtual time: nodes, waits, cost, moves.')
    .addOption(filenameFlag())
    .option('--from <FILE>', 'Continue from a snapshot file; -f adds to it')
    .option('-R, --recursive', 'Folders below a directory too')
    .addOption(
      new Option('--for <DURATION>', 'Virtual time, like 90s, 1h30m or 7d')
        .default(DEFAULT_FOR_MS, '2h')
        .argParser(durationParser('--for')),
    )
    .addOption(
      new Option('--seed <N>', 'Same manifests and seed, same answer')
        .default(1)
        .argParser(wholeNumberParser('--seed', 0, 2 ** 32 - 1)),
    )
    .addOption(
      new Option('--speed <FACTOR>', 'Virtual seconds per real one, or max')
        .default('max' as Speed)
        .argParser(speedParser('--speed')),
    )
    .addOption(
      new Option('--fail-on <WHAT>', 'unplaced: exit 1 if a pod ends without a node').argParser(
        choiceParser('--fail-on', ['unplaced']),
      ),
    )
    .addOption(regionFlag('that which the manifests name'))
    .addOption(catalogueFlag())
    .addOption(outputFlag())
    .action((flags, command) =>
      run(flags, async (invocation) => {
        const { from, region, catalogue } = flags;
        if (from !== undefined) refuseRegionFlags(command);
        const paths = from === undefined ? pathsOf(flags.filename) : (flags.filename ?? []);
        const { simulate } = await import('../playground/simulate.ts');
        return await simulate(
          {
            ...(from !== undefined && { from }),
            paths,
            recursive: flags.recursive ?? false,
            forMs: flags.for,
            seed: flags.seed,
            speed: flags.speed,
            failOnUnplaced: flags.failOn === 'unplaced',
            region,
            catalogue,
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise simulate -f examples/web-three-zones', 'two hours of a web tier'],
    ['mortise simulate -f pools.yaml -f apps/ -R --for 24h', 'a day; folders below too'],
    ['kubectl get nodepools,ec2nodeclasses,deploy -A -o yaml | mortise simulate -f -', 'from a cluster'],
    ['mortise simulate --from shop.snapshot.json.gz -f pools.yaml', 'from now on, with other pools'],
    ['mortise simulate -f k8s/ --fail-on unplaced -o json', 'in CI'],
    ['mortise simulate -f k8s/ --catalogue eu-north-1.json', 'with the prices of a region'],
  ],
});

/** @throws CliError - `bad-value`: a snapshot has types and prices of its own */
const refuseRegionFlags = (command: CommandUnknownOpts): void =>
  refuseIneffective(command, {
    flags: ['--region', '--catalogue'],
    when: 'with --from',
    why: 'a snapshot has the types and prices of its cluster',
    fix: 'leave one of the two out',
  });

function pathsOf(paths: readonly string[] | undefined): readonly string[] {
  if (paths !== undefined) return paths;
  throw fail({
    code: 'no-manifests',
    what: 'nothing to simulate',
    where: 'simulate',
    why: 'no file was named',
    fix: '-f PATH, or --from FILE',
  });
}
