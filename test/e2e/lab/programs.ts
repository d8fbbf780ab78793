import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownEnvironment } from './run-command.ts';
import { waitUntil } from './wait-until.ts';

export interface ProgramSpec {
  /** Also names the log file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface Program {
  readonly name: string;
  readonly logFile: string;
  hasEnded(): boolean;
  /** Sends SIGTERM to the program and its child processes, and SIGKILL after 5 s. */
  end(): Promise<void>;
}

/** The programs of one run, which all end with it. */
export interface Programs {
  start(spec: ProgramSpec): Program;
  /** Resolves when `ask` resolves; rejects at once if the program exits before. */
  ready(program: Program, ask: () => Promise<unknown>, timeoutMs?: number): Promise<void>;
  endAll(): Promise<void>;
  /** Returns the last lines of each log, for a failed run. */
  tails(lines: number): string;
}

/**
 * @param folder - folder for the log files
 */
export function createPrograms(folder: string): Programs {
  const running: Program[] = [];
  const children = new Set<ChildProcess>();
  // Kills all programs, also if the run ends with an uncaught error.
  process.once('exit', () => {
    for (const child of children) signalGroup(child, 'SIGKILL');
  });

  return {
    start(spec) {
      const logFile = join(folder, `${spec.name}.log`);
      const child = launch(spec, logFile);
      children.add(child);
      child.on('exit', () => children.delete(child));
      const program: Program = {
        name: spec.name,
        logFile,
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
        end: () => end(child),
      };
      running.push(program);
      return program;
    },
    async ready(program, ask, timeoutMs = 60_000) {
      await waitUntil(
        `${program.name} (${program.logFile})`,
        async () => {
          if (program.hasEnded()) return 'ended' as const;
          await ask();
          return 'ready' as const;
        },
        { timeoutMs },
      ).then((state) => {
        if (state === 'ended') throw new Error(`${program.name} ended:\n${tail(program, 20)}`);
      });
    },
    async endAll() {
      for (const program of running.toReversed()) await program.end();
    },
    tails: (lines) => running.map((program) => `--- ${program.name}\n${tail(program, lines)}`).join('\n'),
  };
}

/**
 * Starts the program in a process group of its own, so that a signal reaches its child processes
 * too.
 */
function launch({ command, args, environment, cwd }: ProgramSpec, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: ownEnvironment(environment),
    ...(cwd !== undefined && { cwd }),
  });
  closeSync(log);
  // The program counts as ended; an unhandled error event would end the run itself.
  child.on('error', () => undefined);
  if (child.pid !== undefined) applyNice(child.pid);
  return child;
}

/**
 * Gives a new session the nice value of this process: with autogroups, Linux compares nice values only
 * within a session, so `nice` before a run would not reach the programs of the lab.
 *
 * @see sched(7), the autogroup feature
 */
function applyNice(pid: number): void {
  const nice = getPriority();
  const file = `/proc/${pid}/autogroup`;
  if (nice !== 0 && existsSync(file)) writeFileSync(file, `${nice}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  signalGroup(child, 'SIGTERM');
  const killTimer = new AbortController();
  await Promise.race([ended, sleep(5_000, undefined, { signal: killTimer.signal }).catch(() => undefined)]);
  killTimer.abort();
  signalGroup(child, 'SIGKILL');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // No process of the group exists any more.
  }
}

const tail = ({ logFile }: Program, lines: number): string =>
  readFileSync(logFile, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .map((line) => line.slice(0, 300))
    .join('\n');
