import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../lab/programs.ts';
import { REPOSITORY } from '../lab/repository.ts';
import { runCommand } from '../lab/run-command.ts';
import type { Lab } from '../lab/start-lab.ts';
import { waitUntil } from '../lab/wait-until.ts';
import type { Installation } from '../packages/install.ts';
import { expect, type Measures } from '../scenario.ts';
import { findDifference } from './compare-output.ts';
import {
  GUIDES,
  type GuideName,
  listAdditionalFlags,
  NOT_RUN,
  toLabNames,
  WATCHED,
  type Watched,
} from './lab-differences.ts';
import { findVariable, type Guide, type GuideCommand, readGuide } from './read-guide.ts';
import type { Surroundings } from './surroundings.ts';

const MAX_COMMAND_MS = 15 * 60_000;
/** The role in the manifests of the guides, after `toLabNames`. */
const GUIDE_NODE_ROLE = /MortiseNode-[\w-]+/g;
const NODE_ROLE_LINE = /^ +node role +([^\s,]+), spec\.role/m;

export interface GuideRun {
  readonly lab: Lab;
  readonly from: Installation;
  /** The variables of the reader's shell. */
  readonly environment: Readonly<Record<string, string>>;
}

export const readGuideNamed = (name: GuideName): Guide =>
  readGuide(readFileSync(join(REPOSITORY, GUIDES[name]), 'utf8'));

/**
 * Follows a guide to the letter: writes its files into the folder of the package, and runs its commands
 * in their order, each in a shell of its own.
 *
 * @throws Error - a command failed, or printed something else than the guide shows
 */
export async function runGuide(run: GuideRun, name: GuideName, surroundings: Surroundings): Promise<Measures> {
  const { commands, files } = readGuideNamed(name);
  const writeFiles = (nodeRole?: string): void => {
    for (const [file, text] of files) {
      const labText = toLabNames(text);
      writeFileSync(
        join(run.from.folder, file),
        nodeRole === undefined ? labText : labText.replaceAll(GUIDE_NODE_ROLE, nodeRole),
      );
    }
  };
  writeFiles();
  const servers: Program[] = [];
  const variables: Record<string, string> = {};
  const counts = { run: 0, notRun: 0, outputsCompared: 0 };
  try {
    await surroundings.setUp();
    for (const command of commands) {
      const skipped = NOT_RUN.find(({ line }) => line === command.line);
      run.lab.say(skipped ? `not run: ${command.line}: ${skipped.reason}` : `$ ${command.line}`);
      if (skipped) {
        counts.notRun += 1;
        if (skipped.instead !== undefined) await runOnce(run, { line: skipped.instead });
        continue;
      }
      const shell = { ...run, environment: { ...run.environment, ...variables } };
      const printed = await follow(shell, command, servers);
      // The reader writes the role that the deployment names into the manifests.
      const [, nodeRole] = NODE_ROLE_LINE.exec(printed) ?? [];
      if (nodeRole !== undefined) writeFiles(nodeRole);
      const variable = findVariable(command.line);
      if (variable !== undefined) variables[variable] = printed;
      counts.run += 1;
      if (command.shown !== undefined) {
        const difference = findDifference(toLabNames(command.shown), printed);
        expect(difference === undefined, `${command.line}: ${difference} in\n${printed}`);
        counts.outputsCompared += 1;
      }
      await surroundings.reactTo?.(command.line);
    }
    await surroundings.check();
    return counts;
  } finally {
    for (const server of servers) await server.end();
    await surroundings.end();
  }
}

/** @returns what the command printed */
async function follow(run: GuideRun, command: GuideCommand, servers: Program[]): Promise<string> {
  const watched = WATCHED.find(({ line }) => line === command.line);
  if (!watched) return await runOnce(run, command);
  if (watched.how === 'repeat') return await repeat(run, command, watched);
  return await watch(run, command, watched, servers);
}

const runOnce = ({ lab, from, environment }: GuideRun, command: GuideCommand): Promise<string> =>
  runCommand({
    ...toShell(lab, command),
    cwd: from.folder,
    environment,
    timeoutMs: MAX_COMMAND_MS,
  });

const repeat = (run: GuideRun, command: GuideCommand, { until, maxSeconds }: Watched) =>
  waitUntil(
    `${until} in the output of ${command.line}`,
    async () => {
      const printed = await runOnce(run, command);
      if (until.test(printed)) return printed;
      throw new Error(printed);
    },
    { timeoutMs: maxSeconds * 1_000, everyMs: 1_000 },
  );

async function watch(
  { lab, from, environment }: GuideRun,
  command: GuideCommand,
  { how, until, maxSeconds }: Watched,
  servers: Program[],
): Promise<string> {
  const program = lab.programs.start({
    name: `guide-${servers.length}-${command.line.replaceAll(/\W+/g, '-').slice(0, 40)}`,
    ...toShell(lab, command),
    cwd: from.folder,
    environment,
  });
  servers.push(program);
  const read = (): string => readFileSync(program.logFile, 'utf8');
  const timeoutMs = maxSeconds * 1_000;
  await lab.programs.ready(program, async () => expect(until.test(read()), `${until} is not in\n${read()}`), timeoutMs);
  if (how === 'interrupt') await program.end();
  else {
    const address = /https?:\/\/[^\s/]+/.exec(read())?.[0] ?? '';
    const page = await fetch(address);
    expect(page.ok, `${address} answers ${page.status}`);
  }
  return read();
}

/** Bash stops at the first error, in pipes too. A line with an assignment prints the new value. */
function toShell(lab: Lab, { line }: GuideCommand) {
  const [code = '', comment = ''] = toLabNames(line).split(/(?= #)/);
  const flags = listAdditionalFlags(lab, line).map((flag) => `'${flag}'`);
  const variable = findVariable(line);
  const print = variable === undefined ? '' : `\nprintf %s "$${variable}"`;
  const script = `${[code, ...flags].join(' ')}${comment}${print}`;
  return { command: 'bash', args: ['-euo', 'pipefail', '-c', script] };
}
