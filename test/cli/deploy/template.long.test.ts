import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aFolder, mortise } from '../call.ts';

/** Each call builds the stack, which takes seconds. */
describe('mortise template', () => {
  it('says which option is wrong, and writes nothing', async () => {
    const out = join(await aFolder({}), 'out');
    const { code, stderr } = await mortise([
      ...['template', '--cluster', 'shop', '--out', out],
      ...['--set', 'maxNodes=many'],
    ]);

    expect(code).not.toBe(0);
    expect(stderr).toContain('maxNodes');
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it('says why a folder cannot be written', async () => {
    const folder = await aFolder({ 'a-file': '' });
    const { code, stderr } = await mortise([...['template', '--cluster', 'shop', '--out', join(folder, 'a-file')]]);

    expect(code).toBe(2);
    expect(stderr).toContain('a part of the path is a file');
  });

  it('replaces the archives of an earlier call and leaves other files alone', async () => {
    const out = await aFolder({ 'main.tf': '' });
    await mkdir(join(out, 'code'));
    await writeFile(join(out, 'code', `${'0'.repeat(64)}.zip`), 'old');
    await writeFile(join(out, 'code/notes.txt'), '');

    const { code, stdout } = await mortise(['template', '--cluster', 'shop', '--out', out]);

    expect(code).toBe(0);
    expect(stdout).toContain('aws cloudformation deploy --stack-name Mortise-shop');
    expect(await readdir(out)).toEqual(['code', 'main.tf', 'template.json']);
    const archives = await readdir(join(out, 'code'));
    expect(archives).toContain('notes.txt');
    expect(archives).not.toContain(`${'0'.repeat(64)}.zip`);
  });
});
