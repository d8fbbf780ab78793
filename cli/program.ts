import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Example, helpOf, type Verb } from './arguments/help.ts';
import { catalogueVerb } from './commands/catalogue.ts';
import { completeVerb, completionVerb } from './commands/completion.ts';
import { configVerb } from './commands/config.ts';
import { consoleVerb } from './commands/console.ts';
import { controllerVerb } from './commands/controller.ts';
import { convertVerb } from './commands/convert.ts';
import { deployVerb, destroyVerb, diffVerb, templateVerb } from './commands/deploy.ts';
import { describeVerb } from './commands/describe.ts';
import { doctorVerb } from './commands/doctor.ts';
import { explainVerb } from './commands/explain.ts';
import { helpVerb } from './commands/help.ts';
import { instanceTypesVerb } from './commands/instance-types.ts';
import { logsVerb } from './commands/logs.ts';
import { reasonsVerb } from './commands/reasons.ts';
import { replayVerb } from './commands/replay.ts';
import { schemaVerb } from './commands/schema.ts';
import { simulateVerb } from './commands/simulate.ts';
import { snapshotVerb } from './commands/snapshot.ts';
import { startVerb } from './commands/start.ts';
import { tryLaunchVerb } from './commands/try-launch.ts';
import { uninstallVerb } from './commands/uninstall.ts';
import { validateVerb } from './commands/validate.ts';
import { versionVerb } from './commands/version.ts';
import type { Run } from './invocation.ts';
import { readConfigFiles } from './settings/config-files.ts';
import { applySettings } from './settings/settings.ts';
import type { Io } from './terminal/io.ts';
import { VERSION } from './version.ts';

const EXAMPLES: readonly Example[] = [
  ['mortise start', 'the playground: a simulated cluster with its console'],
  ['mortise simulate -f examples/web-three-zones', 'your manifests in virtual time'],
  ['mortise reasons too-large', 'what a reason means'],
];

/** Declares all commands; the code of a command is loaded when it runs. */
export function buildProgram(io: Io, run: Run): CommandUnknownOpts {
  const program: CommandUnknownOpts = new Command('mortise').description(
    'Gives an Amazon EKS cluster the nodes that its pods need, and takes them away again.',
  );
  const verbs: readonly Verb[] = [
    startVerb(run),
    simulateVerb(run),
    snapshotVerb(run),
    replayVerb(run),
    validateVerb(run),
    convertVerb(run),
    instanceTypesVerb(run),
    catalogueVerb(run),
    explainVerb(run),
    describeVerb(run),
    logsVerb(run),
    consoleVerb(run),
    controllerVerb(run),
    doctorVerb(run),
    tryLaunchVerb(run),
    deployVerb(run),
    diffVerb(run),
    templateVerb(run),
    uninstallVerb(run),
    destroyVerb(run),
    reasonsVerb(run),
    schemaVerb(run),
    configVerb(run, () => program),
    completionVerb(run),
    versionVerb(run),
    helpVerb(() => program),
  ];
  for (const { command } of verbs) program.addCommand(command);
  program.addCommand(
    completeVerb(run, () => program),
    { hidden: true },
  );
  program.helpCommand(false);
  program.version(VERSION, '-V, --version', 'The version of this command');

  const examples = new Map([[program, EXAMPLES], ...verbs.map((verb) => [verb.command, verb.examples] as const)]);
  for (const command of withSubcommands(program)) adapt(command, io, examples);
  return program;
}

const withSubcommands = (command: CommandUnknownOpts): CommandUnknownOpts[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

/** Makes commander throw instead of printing, prints help to stdout, and applies settings. */
function adapt(
  command: CommandUnknownOpts,
  io: Io,
  examples: ReadonlyMap<CommandUnknownOpts, readonly Example[]>,
): void {
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .helpOption('-h, --help', 'Examples and flags')
    .configureHelp({ formatHelp: () => helpOf(command, examples.get(command) ?? []) })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => undefined,
      outputError: () => undefined,
    })
    .hook('preAction', async (_, called) => {
      if (called === command) applySettings(called, io.env, await readConfigFiles(io));
    });
}
