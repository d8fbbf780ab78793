import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { aFolder } from './call.ts';
import { aPod, NODES } from './manifests.ts';

const MORTISE = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));

/** Starts the command as a separate process. */
function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [MORTISE, ...argv], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
  });
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (written.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (written.stderr += String(chunk)));
  return { child, ended: async () => ({ code: await ended, ...written }) };
}

describe('the process', () => {
  it('prints its help and exits with 0', async () => {
    const { code, stdout, stderr } = await start([]).ended();

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: mortise VERB');
  });

  it('is colored without a warning if FORCE_COLOR and NO_COLOR are set', async () => {
    const { stderr } = await start(['nix'], { FORCE_COLOR: '1', NO_COLOR: '1' }).ended();

    expect(stderr.startsWith('\u001b[31merror:')).toBe(true);
    expect(stderr).not.toContain('NO_COLOR');
  });

  it('exits with 2 and a sentence for a missing file, never with a stack trace', async () => {
    expect(await start(['simulate', '-f', 'nix.yaml']).ended()).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `error: cannot open nix.yaml\n  where: ${resolve('nix.yaml')}\n` +
        '  why:   no such file or directory\n  fix:   check the path\n',
    });
  });

  it('exits silently with 141 if its reader closes the pipe', async () => {
    const folder = await aFolder({ 'a.yaml': NODES + aPod('api', '{cpu: "1"}') });
    const { child, ended } = start(['simulate', '-f', folder, '--for', '1h', '-o', 'json']);
    child.stdout.destroy();

    const { code, stderr } = await ended();
    expect(code).toBe(141);
    // A slow machine shows the progress before the result.
    expect(stderr.replaceAll(/^simulating: .*\n/gm, '')).toBe('');
  });

  it('stops on Ctrl-C and prints its partial result', async () => {
    const folder = await aFolder({ 'a.yaml': NODES + aPod('api', '{cpu: "1"}') });
    const argv = ['simulate', '-f', folder, '--speed', '60', '--for', '10h', '-o', 'json', '-v'];
    const { child, ended } = start(argv);
    // The first line on stderr means that the manifests were read and the simulation has begun.
    await once(child.stderr, 'data');
    child.kill('SIGINT');

    const { code, stdout } = await ended();
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'Simulation', complete: false });
  });

  it('reports a bug of the command in one line with a report file and exits with 70', async () => {
    const folder = await aFolder({
      'broken.mjs': 'Object.fromEntries = () => { throw new Error("broken on purpose") };',
    });
    const { ended } = start(['simulate', '-f', folder], {
      NODE_OPTIONS: `--import ${folder}/broken.mjs`,
      TMPDIR: folder,
    });

    const { code, stderr } = await ended();
    expect(code).toBe(70);
    expect(stderr).toMatch(/^error: mortise failed: Error: .*please report it with .*\n$/);
  });
});

describe('the process on a Node.js that is too old', () => {
  const AS_OLD = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.19.0"})';
  const run = (env: Readonly<Record<string, string>>, ...argv: readonly string[]) =>
    spawnSync(process.execPath, ['--import', AS_OLD, MORTISE, ...argv], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });

  it('runs with the Node.js that npm finds or downloads, of which only the first call tells, and exits with its code', async () => {
    const folder = await aFolder({
      'npm.js': 'process.stdout.write(process.execPath); console.error(...process.argv.slice(2));',
    });
    const env = { npm_execpath: join(folder, 'npm.js'), XDG_CACHE_HOME: folder };
    const { status, stdout, stderr } = run(env, 'no-verb');

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^mortise runs with Node\.js \d+\.\d+\.\d+, which npm downloads once \(this is 20\.19\.0\)\n/,
    );
    expect(stderr).toContain(`exec --yes --package=node-`);
    expect(stderr).toContain('no command `no-verb`');

    const second = run(env, 'no-verb');
    expect(second.status).toBe(2);
    expect(second.stderr).toMatch(/^error: no command `no-verb`/);
  });

  it('says what to do without npm, and exits with 2', () => {
    const { status, stderr } = run({ XDG_CACHE_HOME: '/nowhere' }, '--help');

    expect(status).toBe(2);
    expect(stderr).toContain('mortise needs Node.js 24 or newer, and this is 20.19.0');
  });
});
