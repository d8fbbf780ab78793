import { describe, expect, it } from 'vitest';
import { type Call, documentOf, mortise } from '../call.ts';

/** Returns the output format of `mortise version`, which shows the setting that was used. */
async function formatOf(argv: readonly string[], call: Call): Promise<string> {
  const { stdout } = await mortise(['version', ...argv], call);
  if (stdout.startsWith('{')) return 'json';
  return stdout.startsWith('apiVersion:') ? 'yaml' : 'text';
}

const USER_FILE = '.config/mortise/config.yaml';

describe('a setting', () => {
  it('is read from its flag first', async () => {
    const call = { env: { MORTISE_OUTPUT: 'json' }, files: { '.mortise.yaml': 'output: json\n' } };

    expect(await formatOf(['-o', 'yaml'], call)).toBe('yaml');
  });

  it('is read from the environment before the files', async () => {
    const call = { env: { MORTISE_OUTPUT: 'json' }, files: { '.mortise.yaml': 'output: yaml\n' } };

    expect(await formatOf([], call)).toBe('json');
  });

  it("is read from the project's file before the user's", async () => {
    const files = { '.mortise.yaml': 'output: yaml\n', [USER_FILE]: 'output: json\n' };

    expect(await formatOf([], { files })).toBe('yaml');
  });

  it("is read from the user's file before the default", async () => {
    expect(await formatOf([], { files: { [USER_FILE]: 'output: json\n' } })).toBe('json');
    expect(await formatOf([], {})).toBe('text');
  });

  it('is refused with the same values as its flag, and the error names its source', async () => {
    const { code, stderr } = await mortise(['version'], { env: { MORTISE_OUTPUT: 'xml' } });

    expect(code).toBe(2);
    expect(stderr).toContain(
      '"xml" is no value for --output\n  where: MORTISE_OUTPUT\n  why:   allowed are text, json, yaml\n',
    );
  });

  it('is ignored in a project file if only a user may choose it, because a stranger may have written that file', async () => {
    const files = { '.mortise.yaml': 'seed: 7\nfiles: [k8s]\n' };
    const outcome = await mortise(['config', 'view', '-o', 'json'], { files });

    expect(documentOf(outcome).result.settings).toEqual(
      expect.arrayContaining([
        { name: 'filename', value: ['k8s'], origin: '.mortise.yaml' },
        { name: 'seed', value: 1, origin: 'default' },
      ]),
    );
    expect(outcome.stderr).toBe('warning: .mortise.yaml may not set seed: it is left out\n');
  });

  it('is named by config view if no flag has its name', async () => {
    const files = { [USER_FILE]: 'outptu: json\nsimulate: { seed: 7, sed: 8 }\n' };
    const { stderr } = await mortise(['config', 'view'], { files });

    expect(stderr).toBe(
      `warning: ${USER_FILE} sets outptu, which is no flag\n` +
        `warning: ${USER_FILE} sets simulate.sed, which is no flag\n`,
    );
  });

  it('that confirms an action is accepted as a flag only, because it applies to one call', async () => {
    const env = { MORTISE_YES: 'shop', MORTISE_TAKE_OVER: 'true', MORTISE_CRDS: 'true' };
    const { stdout } = await mortise(['config', 'view', '-o', 'json'], { env });

    for (const variable of Object.keys(env)) expect(stdout).not.toContain(variable);
  });

  it('of one verb is written below that verb', async () => {
    const files = { [USER_FILE]: 'version:\n  output: json\n' };

    expect(await formatOf([], { files })).toBe('json');
    expect((await mortise(['reasons', 'empty'], { files })).stdout).toMatch(/^empty \(disruption\)\n/);
  });
});

describe('a configuration file', () => {
  it.for([
    ['- a\n- b\n', 'it is not a mapping of flags to values'],
    ['output: [json\n', 'Flow sequence in block collection must be'],
  ])('with the text %j is refused with exit 2', async ([text, why]) => {
    const { code, stderr } = await mortise(['version'], { files: { '.mortise.yaml': text ?? '' } });

    expect(code).toBe(2);
    expect(stderr).toContain('error: cannot read the configuration\n  where: .mortise.yaml\n');
    expect(stderr).toContain(why);
  });

  it('is refused by name if it is a directory', async () => {
    const { code, stderr } = await mortise(['version'], { files: { '.mortise.yaml/a': '' } });

    expect(code).toBe(2);
    expect(stderr).toContain('where: .mortise.yaml\n  why:   it is a directory\n');
  });

  it('is searched for upwards, to the root of the repository', async () => {
    const file = '.mortise.yaml';
    const inside = { 'repo/.git/HEAD': '', [`repo/${file}`]: 'output: json\n', 'repo/a/b/x': '' };
    const above = { 'repo/.git/HEAD': '', [file]: 'output: json\n', 'repo/a/b/x': '' };

    expect(await formatOf([], { files: inside, cwd: 'repo/a/b' })).toBe('json');
    expect(await formatOf([], { files: above, cwd: 'repo/a/b' })).toBe('text');
  });
});
