import { describe, expect, it } from 'vitest';
import { type Call, documentOf, mortise } from '../call.ts';

/** The format that `mortise version` ends up with shows who was heard. */
async function formatOf(argv: readonly string[], call: Call): Promise<string> {
  const { stdout } = await mortise(['version', ...argv], call);
  if (stdout.startsWith('{')) return 'json';
  return stdout.startsWith('apiVersion:') ? 'yaml' : 'text';
}

const USER_FILE = '.config/mortise/config.yaml';

describe('a setting', () => {
  it('is taken from the flag before all else', async () => {
    const call = { env: { MORTISE_OUTPUT: 'json' }, files: { '.mortise.yaml': 'output: json\n' } };

    expect(await formatOf(['-o', 'yaml'], call)).toBe('yaml');
  });

  it('is taken from the environment before the files', async () => {
    const call = { env: { MORTISE_OUTPUT: 'json' }, files: { '.mortise.yaml': 'output: yaml\n' } };

    expect(await formatOf([], call)).toBe('json');
  });

  it("is taken from the project's file before the user's", async () => {
    const files = { '.mortise.yaml': 'output: yaml\n', [USER_FILE]: 'output: json\n' };

    expect(await formatOf([], { files })).toBe('yaml');
  });

  it("is taken from the user's file before the default", async () => {
    expect(await formatOf([], { files: { [USER_FILE]: 'output: json\n' } })).toBe('json');
    expect(await formatOf([], {})).toBe('text');
  });

  it('is refused where its flag would refuse it, and names where it stands', async () => {
    const { code, stderr } = await mortise(['version'], { env: { MORTISE_OUTPUT: 'xml' } });

    expect(code).toBe(2);
    expect(stderr).toContain(
      '"xml" is no value for --output\n  where: MORTISE_OUTPUT\n  why:   allowed are text, json, yaml\n',
    );
  });

  it('that only a user may choose is left out of a project file, which may be a stranger’s', async () => {
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

  it('that no flag has is named by config view', async () => {
    const files = { [USER_FILE]: 'outptu: json\nsimulate: { seed: 7, sed: 8 }\n' };
    const { stderr } = await mortise(['config', 'view'], { files });

    expect(stderr).toBe(
      `warning: ${USER_FILE} sets outptu, which is no flag\n` +
        `warning: ${USER_FILE} sets simulate.sed, which is no flag\n`,
    );
  });

  it('that agrees to something holds for one call, so its flag alone gives it', async () => {
    const env = { MORTISE_YES: 'shop', MORTISE_TAKE_OVER: 'true', MORTISE_CRDS: 'true' };
    const { stdout } = await mortise(['config', 'view', '-o', 'json'], { env });

    for (const variable of Object.keys(env)) expect(stdout).not.toContain(variable);
  });

  it('for one verb alone is written below it', async () => {
    const files = { [USER_FILE]: 'version:\n  output: json\n' };

    expect(await formatOf([], { files })).toBe('json');
    expect((await mortise(['reasons', 'empty'], { files })).stdout).toMatch(/^CODE/);
  });
});

describe('a configuration file', () => {
  it.for([
    ['- a\n- b\n', 'it is not a mapping of flags to values'],
    ['output: [json\n', 'Flow sequence in block collection must be'],
  ])('that reads %j is refused with exit 2', async ([text, why]) => {
    const { code, stderr } = await mortise(['version'], { files: { '.mortise.yaml': text ?? '' } });

    expect(code).toBe(2);
    expect(stderr).toContain('error: cannot read the configuration\n  where: .mortise.yaml\n');
    expect(stderr).toContain(why);
  });

  it('that is a directory is named as such', async () => {
    const { code, stderr } = await mortise(['version'], { files: { '.mortise.yaml/a': '' } });

    expect(code).toBe(2);
    expect(stderr).toContain('where: .mortise.yaml\n  why:   it is a directory\n');
  });

  it('is looked for upwards, to the root of the repository', async () => {
    const file = '.mortise.yaml';
    const inside = { 'repo/.git/HEAD': '', [`repo/${file}`]: 'output: json\n', 'repo/a/b/x': '' };
    const above = { 'repo/.git/HEAD': '', [file]: 'output: json\n', 'repo/a/b/x': '' };

    expect(await formatOf([], { files: inside, cwd: 'repo/a/b' })).toBe('json');
    expect(await formatOf([], { files: above, cwd: 'repo/a/b' })).toBe('text');
  });
});
