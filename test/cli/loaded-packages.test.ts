import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Lists the packages that the module loads at once; dynamic imports are loaded later, or never. */
async function listPackages(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    outdir: 'unused',
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  const packages = new Set<string>();
  const visited = new Set<string>();
  const visit = (file: string) => {
    if (visited.has(file)) return;
    visited.add(file);
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (external) packages.add(path);
      else visit(path);
    }
  };
  visit(entry);
  return [...packages];
}

describe('commands that work without AWS', () => {
  it.each([
    'cli/mortise.ts',
    'cli/playground/playground.ts',
    'cli/playground/simulate.ts',
    'cli/manifests/validate.ts',
    'cli/record/replay.ts',
    'cli/explain/explain.ts',
    'cli/console/console.ts',
  ])('load no client of AWS: %s', async (entry) => {
    const packages = await listPackages(entry);
    expect(packages.length).toBeGreaterThan(0);
    expect(packages.filter((name) => /^(@aws-sdk|@smithy|aws-cdk-lib)/.test(name))).toEqual([]);
  });
});
