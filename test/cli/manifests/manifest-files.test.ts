import { describe, expect, it } from 'vitest';
import { CliError } from '../../../cli/errors.ts';
import { fetchManifests, readManifestFiles } from '../../../cli/manifests/manifest-files.ts';
import { aFolder, type Call, mortise } from '../call.ts';

async function filesIn(
  files: Readonly<Record<string, string>>,
  paths: readonly string[],
  recursive = false,
): Promise<string[]> {
  const cwd = await aFolder(files);
  const io = { cwd, env: {}, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  return (await readManifestFiles(paths, { recursive, io })).map(({ file }) => file);
}

describe('the flag -f', () => {
  const TREE = {
    'k8s/b.yaml': 'b',
    'k8s/a.yml': 'a',
    'k8s/c.json': 'c',
    'k8s/notes.md': '',
    'k8s/in/d.yaml': 'd',
  };

  it('reads only the manifests of a folder, sorted by name', async () => {
    expect(await filesIn(TREE, ['k8s'])).toEqual(['k8s/a.yml', 'k8s/b.yaml', 'k8s/c.json']);
  });

  it('reads subfolders with -R', async () => {
    expect(await filesIn(TREE, ['k8s'], true)).toEqual(['k8s/a.yml', 'k8s/b.yaml', 'k8s/c.json', 'k8s/in/d.yaml']);
  });

  it('reads named files with any ending, in the given order', async () => {
    expect(await filesIn(TREE, ['k8s/notes.md', 'k8s/a.yml'])).toEqual(['k8s/notes.md', 'k8s/a.yml']);
  });
});

describe('a folder with folders below it', () => {
  const files = {
    'k8s/a.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n',
    'k8s/in/b.yaml': 'apiVersion: karpenter.sh/v1\nkind: Provisioner\nmetadata: {name: b}\n',
  };

  it('is read without them, which stderr says', async () => {
    const { code, stderr } = await mortise(['validate', '-f', 'k8s'], { files });

    expect(code).toBe(0);
    expect(stderr).toContain('warning: k8s: 1 folder below it not read: -R reads folders too\n');
  });

  it('is read with them by -R', async () => {
    const { code, stderr } = await mortise(['validate', '-f', 'k8s', '-R'], { files });

    expect(code).toBe(1);
    expect(stderr).not.toContain('not read');
  });
});

describe('an unreadable source exits with 2', () => {
  const CASES: readonly (readonly [string, Call, string])[] = [
    [
      'nix.yaml',
      {},
      'cannot open nix.yaml\n  where: ~/nix.yaml\n  why:   no such file or directory\n  fix:   check the path\n',
    ],
    [
      'picture.yaml',
      { files: { 'picture.yaml': new Uint8Array([0x89, 0x50, 0xff, 0xfe]) } },
      'cannot open picture.yaml\n  where: ~/picture.yaml\n  why:   it is not UTF-8 text\n  fix:   save it as UTF-8, or name the file that holds the manifests\n',
    ],
    [
      'empty',
      { files: { 'empty/x/y': '' } },
      'nothing to read\n  where: empty\n  why:   no files in there\n  fix:   name the files, or -R to look in the folders below\n',
    ],
    [
      'docs',
      { files: { 'docs/a.md': '', 'docs/b.txt': '' } },
      'nothing to read\n  where: docs\n  why:   2 files, none .yaml .yml .json\n  fix:   name the files, or -R to look in the folders below\n',
    ],
    [
      'http://127.0.0.1/pools.yaml',
      {},
      '"http://127.0.0.1/pools.yaml" is not fetched\n  where: --filename\n  why:   manifests decide what runs: they come over https only\n  fix:   write https://127.0.0.1/pools.yaml\n',
    ],
  ];

  it.for(CASES)('for -f %s', async ([path, call, error]) => {
    expect(await mortise(['simulate', '-f', path], call)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${error}`,
    });
  });
});

describe('an https URL', () => {
  const URL = 'https://manifests.example.com/pools.yaml';

  it('is read', async () => {
    const source = await fetchManifests(URL, async () => new Response('kind: NodePool'));

    expect(source).toEqual({ file: URL, text: 'kind: NodePool' });
  });

  it.for([
    ['that is not there', async () => new Response('', { status: 404 }), 'the host answers 404'],
    ['longer than 10 MiB', async () => new Response('x'.repeat(10 * 1024 * 1024 + 1)), 'longer than 10 MiB'],
    [
      'whose host does not answer',
      () => Promise.reject(new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') })),
      'getaddrinfo ENOTFOUND',
    ],
  ] as const)('with %s exits with 3, because another attempt may succeed', async ([, get, why]) => {
    const error = await fetchManifests(URL, get).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({
      problems: [{ code: 'url-unreachable', where: 'manifests.example.com', why }],
    });
  });
});
