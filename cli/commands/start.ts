import { Option } from '@commander-js/extra-typings';
import { commandOf, filenameFlag, outputFlag, type Speed, speedParser, wholeNumberParser } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { catalogueFlag, regionFlag } from '../arguments/regions.ts';
import type { Run } from '../invocation.ts';

export const startVerb = (run: Run): Verb => ({
  command: commandOf('start', 'The playground: a simulated cluster and its console, on loopback.')
    .addOption(filenameFlag())
    .option('-R, --recursive', 'Folders below a directory too')
    .addOption(
      new Option('--port <N>', 'Exactly this port; else the first free one from 7070').argParser(
        wholeNumberParser('--port', 0, 65_535),
      ),
    )
    .addOption(
      new Option('--seed <N>', 'Same manifests and seed, same cluster')
        .default(1)
        .argParser(wholeNumberParser('--seed', 0, 2 ** 32 - 1)),
    )
    .addOption(
      new Option('--speed <FACTOR>', 'Virtual seconds per real one, or max')
        .default(10 as Speed)
        .argParser(speedParser('--speed')),
    )
    .addOption(regionFlag('that which the manifests name'))
    .addOption(catalogueFlag())
    .addOption(outputFlag(['text', 'json']))
    .action((flags) =>
      run(flags, async (invocation) => {
        const { startPlayground } = await import('../playground/playground.ts');
        return await startPlayground(
          {
            paths: flags.filename ?? [],
            recursive: flags.recursive ?? false,
            ...(flags.port !== undefined && { port: flags.port }),
            seed: flags.seed,
            speed: flags.speed,
            region: flags.region,
            catalogue: flags.catalogue,
          },
          invocation,
        );
      }),
    ),
  examples: [
    ['mortise start', 'a demo: a web tier, a batch burst, an interruption'],
    ['mortise start -f k8s/ --speed 60', 'your manifests, a minute per second'],
    ['mortise start --port 8080', 'on a port of your choice'],
  ],
});
