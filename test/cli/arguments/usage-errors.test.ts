import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';

/** Calls and the error that each prints; all exit with 2 and print nothing else. */
const USAGE = [
  {
    argv: ['simulat'],
    error: ['no command `simulat`', 'where: mortise', 'fix:   mortise simulate'],
  },
  {
    argv: ['help', 'simulat'],
    error: ['no command `simulat`', 'where: mortise', 'fix:   mortise simulate'],
  },
  {
    argv: ['frobnicate'],
    error: ['no command `frobnicate`', 'where: mortise', 'fix:   mortise help'],
  },
  {
    argv: ['simulate', '--sed', '3'],
    error: ['no flag `--sed`', 'where: simulate', 'fix:   --seed'],
  },
  {
    argv: ['simulate', '--sped', 'max'],
    error: ['no flag `--sped`', 'where: simulate', 'fix:   --speed'],
  },
  {
    argv: ['version', '--node-output=json'],
    error: ['no flag `--node-output=json`', 'where: version', 'fix:   --output'],
  },
  {
    argv: ['version', '--zzz'],
    error: ['no flag `--zzz`', 'where: version', 'fix:   mortise help version'],
  },
  {
    argv: ['--config'],
    error: ['no flag `--config`', 'where: mortise', 'fix:   mortise config'],
  },
  {
    argv: ['config'],
    error: ['VERB is missing', 'where: config', 'fix:   mortise help config'],
  },
  {
    argv: ['config', 'veiw'],
    error: ['no command `veiw`', 'where: config', 'fix:   mortise config view'],
  },
  {
    argv: ['config', 'view', 'seed'],
    error: ['too many arguments: seed', 'where: config view', 'fix:   mortise help config view'],
  },
  {
    argv: ['reasons', 'empty', 'too-large'],
    error: ['too many arguments: too-large', 'where: reasons', 'fix:   mortise help reasons'],
  },
  {
    argv: ['uninstall', '--cluster', ''],
    error: ['no cluster is named', 'where: --cluster', 'fix:   --cluster NAME, or --kubeconfig FILE [--context NAME]'],
  },
  { argv: ['-x'], error: ['no flag `-x`', 'where: mortise', 'fix:   mortise help'] },
  {
    argv: ['simulate', '--seed'],
    error: ['no value for `--seed <N>`', 'where: simulate', 'fix:   mortise help simulate'],
  },
  {
    argv: ['simulate', '--seed', '-1'],
    error: ['"-1" is no number that fits', 'where: --seed', 'why:   allowed are whole numbers from 0 to 4294967295'],
  },
  {
    argv: ['simulate', '--for', '10 minutes'],
    error: ['"10 minutes" is no duration', 'where: --for', 'why:   written like 90s, 1h30m or 7d, and not 0'],
  },
  {
    argv: ['simulate', '--for', '0s'],
    error: ['"0s" is no duration', 'where: --for', 'why:   written like 90s, 1h30m or 7d, and not 0'],
  },
  {
    argv: ['start', '--speed', 'fast'],
    error: ['"fast" is no speed', 'where: --speed', 'why:   allowed are numbers above 0, 100000 at most, and max'],
  },
  {
    argv: ['start', '--port', '70700'],
    error: ['"70700" is no number that fits', 'where: --port', 'why:   allowed are whole numbers from 0 to 65535'],
  },
  {
    argv: ['version', '-o', 'xml'],
    error: ['"xml" is not one of its values', 'where: --output', 'why:   allowed are text, json, yaml'],
  },
  {
    argv: ['simulate', '--fail-on', 'price'],
    error: ['"price" is not one of its values', 'where: --fail-on', 'why:   allowed are unplaced'],
  },
  {
    argv: ['completion'],
    error: ['SHELL is missing', 'where: completion', 'fix:   mortise help completion'],
  },
  {
    argv: ['completion', 'tcsh'],
    error: ['"tcsh" is not one of its values', 'where: SHELL', 'why:   allowed are bash, zsh, fish, powershell'],
  },
  {
    argv: ['version', 'now'],
    error: ['too many arguments: now', 'where: version', 'fix:   mortise help version'],
  },
  {
    argv: ['simulate', 'pools.yaml', 'apps'],
    error: ['too many arguments: pools.yaml, apps', 'where: simulate', 'fix:   -f pools.yaml -f apps'],
  },
  {
    argv: ['simulate'],
    error: ['nothing to simulate', 'where: simulate', 'why:   no file was named', 'fix:   -f PATH, or --from FILE'],
  },
];

describe('a call with wrong arguments', () => {
  it.for(USAGE)('mortise $argv exits with 2 and prints $error.0', async ({ argv, error }) => {
    const outcome = await mortise(argv);

    expect(outcome).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${error.join('\n  ')}\n`,
    });
  });

  it('is reported as one line of JSON if JSON was requested', async () => {
    const { code, stderr } = await mortise(['simulate', '--sed', '3', '-o', 'json']);

    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toEqual({
      kind: 'Error',
      code: 'unknown-flag',
      what: 'no flag `--sed`',
      where: 'simulate',
      fix: '--seed',
      exitCode: 2,
      retriable: false,
    });
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  it.for([['--output=json'], ['--output', 'json'], ['-ojson']])('is also reported as JSON for %s', async (flags) => {
    expect((await mortise(['version', ...flags, '--zzz'])).stderr).toMatch(/^\{"kind":"Error"/);
  });
});

describe('an unknown name', () => {
  it('of a reason exits with 5 and suggests the nearest one', async () => {
    expect(await mortise(['reasons', 'toolarge'])).toEqual({
      code: 5,
      stdout: '',
      stderr: 'error: no reason toolarge\n  where: mortise reasons\n  fix:   did you mean too-large\n',
    });
  });

  it('of a document kind exits with 5 and suggests the nearest one', async () => {
    const { code, stderr } = await mortise(['schema', 'Simulatoin']);

    expect(code).toBe(5);
    expect(stderr).toContain('did you mean Simulation');
  });
});
