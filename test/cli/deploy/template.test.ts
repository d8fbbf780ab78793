import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { findMissingLibraries } from '../../../cli/deploy/find-cdk.ts';
import { zipFolder } from '../../../cli/deploy/write-template.ts';
import { aFolder, mortise } from '../call.ts';

describe('an archive of code', () => {
  it('contains the files of the folder and of its subfolders, with slashes', async () => {
    const folder = await aFolder({ 'index.mjs': 'code', 'data/types.json': '{}' });

    const files = unzipSync(await zipFolder(folder));

    expect(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['data/types.json', '{}'],
      ['index.mjs', 'code'],
    ]);
  });

  it('has the same bytes for equal files, whenever they were written', async () => {
    const [first, second] = await Promise.all([0, 1].map(() => aFolder({ 'index.mjs': 'code' })));

    expect(await zipFolder(first ?? '')).toEqual(await zipFolder(second ?? ''));
  });
});

describe('mortise template', () => {
  it('must name a cluster', async () => {
    const { code, stderr } = await mortise(['template']);

    expect(code).toBe(2);
    expect(stderr).toContain('no cluster is named');
  });

  it('needs no command line of the CDK', async () => {
    const folder = await aFolder({
      'node_modules/constructs/package.json': '{"name":"constructs"}',
    });

    expect(findMissingLibraries(join(folder, 'node_modules/mortise/cdk/template.js'))).toMatchObject({
      what: 'the AWS CDK is not installed: aws-cdk-lib not found',
    });
  });
});
