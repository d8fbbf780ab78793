import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { launchChromium, openConsole } from '../browser/support/chromium.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The line of README's first code block that installs and starts the playground. */
const FIRST_LINE = /^(npm ci[^&\n]*) && npm start\b/m;
const MAX_WAIT_MS = 10 * 60_000;

/**
 * `npm run bench -- newcomer`: follows README in a fresh clone, with the Node.js of the system, until
 * the page explains why a pod is blocked. Prints the milliseconds of each step as JSON.
 */
export async function benchNewcomer(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mortise newcomer '));
  const browser = await launchChromium();
  const load = loadavg();
  const clock = createStopwatch();
  try {
    await run('git', ['clone', '--quiet', `file://${ROOT}`, folder], ROOT);
    clock.lap('clone');
    const install = FIRST_LINE.exec(await readFile(join(folder, 'README.md'), 'utf8'))?.[1];
    if (install === undefined) throw new Error('README does not install and start the playground');
    await run('sh', ['-c', install], folder);
    clock.lap('install');
    const playground = await startPlayground(folder);
    clock.lap('start');
    try {
      const { page } = await openConsole(browser, playground.url);
      clock.lap('page');
      const blocked = page.locator('[data-testid^=pending-group][data-state=blocked]').first();
      await blocked.waitFor({ timeout: MAX_WAIT_MS });
      clock.lap('blocked');
      await blocked.click();
      await page.getByTestId('try-fix').first().waitFor({ timeout: MAX_WAIT_MS });
      clock.lap('explained');
      process.stdout.write(`${JSON.stringify({ ...clock.laps(), load }, undefined, 2)}\n`);
    } finally {
      playground.end();
    }
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Stopwatch {
  /** Ends a step that began with the end of the step before. */
  lap(step: string): void;
  laps(): Readonly<Record<string, number>>;
}

function createStopwatch(): Stopwatch {
  const startedAt = performance.now();
  let from = startedAt;
  const laps: Record<string, number> = {};
  return {
    lap(step) {
      const now = performance.now();
      laps[`${step}Ms`] = Math.round(now - from);
      from = now;
      process.stderr.write(`${step}: ${laps[`${step}Ms`]} ms\n`);
    },
    laps: () => ({ ...laps, totalMs: Math.round(from - startedAt) }),
  };
}

/** Without what `npm run` adds: a newcomer has the Node.js of the system alone. */
function newcomerEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const folders = (process.env.PATH ?? '').split(delimiter);
  const PATH = folders.filter((path) => !path.includes('node_modules')).join(delimiter);
  return { ...Object.fromEntries(entries), PATH };
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const child = spawn(command, args, { cwd, env: newcomerEnvironment(), stdio: [...stdio] });
  const code = await once(child, 'exit').then(([exitCode]: unknown[]) => exitCode);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}`);
}

async function startPlayground(folder: string): Promise<{ readonly url: string; end(): void }> {
  const child = spawn('npm', ['start', '--', '--port', '0'], {
    cwd: folder,
    env: newcomerEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
    // npm does not pass signals on, so the whole group ends.
    detached: true,
  });
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid);
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Console: (\S+)/.exec(line)?.[1];
    if (url !== undefined) return { url, end };
  }
  throw new Error('npm start ended without the address of the console');
}
