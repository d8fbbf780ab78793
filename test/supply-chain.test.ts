import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import packageJson from '../package.json' with { type: 'json' };

const lockSchema = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      inBundle: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
    }),
  ),
});
const { packages } = lockSchema.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
const installed = Object.entries(packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13);

describe('each dependency', () => {
  it('has an exact version', () => {
    const { dependencies, devDependencies } = packageJson;
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('is locked by a SHA-512 hash, its own or that of the package that contains it', () => {
    expect(installed.length).toBeGreaterThan(100);
    const unlocked = installed.filter(
      ([, { integrity = '', inBundle }]) => !inBundle && !integrity.startsWith('sha512-'),
    );
    expect(unlocked.map(([path]) => path)).toEqual([]);
  });

  it('comes from the registry, not from a repository or an address', () => {
    const elsewhere = installed.filter(([, { resolved = '' }]) =>
      /^git|^file:|^http:/.test(resolved),
    );
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });

  it('with an install script is listed, and no other may run one', () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    const listed = Object.keys(packageJson.allowScripts);
    expect(listed.toSorted()).toEqual(scripted.map(([path]) => nameOf(path)).toSorted());
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });
});
