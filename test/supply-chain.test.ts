import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import packageJson from '../package.json' with { type: 'json' };
import { ARCHITECTURES, DEBIAN_PACKAGES, parseLock } from '../packaging/image/sources.ts';
import sitePackageJson from '../site/package.json' with { type: 'json' };

const namesSchema = z.record(z.string(), z.string()).default({});
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
      optionalDependencies: namesSchema,
    }),
  ),
});
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13);

describe.each([
  { folder: '.', manifest: packageJson },
  { folder: 'site', manifest: { dependencies: {}, ...sitePackageJson } },
])('each dependency in $folder', ({ folder, manifest }) => {
  const lock = readFileSync(`${folder}/package-lock.json`, 'utf8');
  const { packages } = lockSchema.parse(JSON.parse(lock));
  const installed = Object.entries(packages).filter(([path]) => path !== '');

  it('has an exact version', () => {
    const { dependencies, devDependencies } = manifest;
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

  // npm leaves packages of other platforms out if node_modules exists; `npm ci` then fails there. To
  // lock them: npm install --package-lock-only in a folder with package.json alone.
  it('is locked for all platforms', () => {
    const locked = new Set(installed.map(([path]) => nameOf(path)));
    const missing = Object.values(packages).flatMap(({ optionalDependencies }) =>
      Object.keys(optionalDependencies).filter((name) => !locked.has(name)),
    );
    expect(missing).toEqual([]);
  });

  it('comes from the registry, not from a repository or an address', () => {
    const elsewhere = installed.filter(([, { resolved = '' }]) => /^git|^file:|^http:/.test(resolved));
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });

  it('with an install script is listed, and no other may run one', () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
    const listed = Object.keys(manifest.allowScripts);
    expect(listed.toSorted()).toEqual(scripted.map(([path]) => nameOf(path)).toSorted());
    expect(readFileSync(`${folder}/.npmrc`, 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });
});

describe('the Node.js that an old one downloads', () => {
  it('is that of package.json', () => {
    expect(readFileSync('cli/newer-node.js', 'utf8')).toContain(
      `const NODE_VERSION = '${packageJson.devDependencies.node}';`,
    );
  });
});

describe.each(ARCHITECTURES)('the image for %s', (architecture) => {
  const { node, debian } = parseLock(readFileSync('packaging/image/lock.json', 'utf8')).sources[architecture];

  it('has the Node.js of package.json', () => {
    expect(node.version).toBe(packageJson.devDependencies.node);
  });

  it('pins each Debian package', () => {
    expect(debian.map(({ name }) => name)).toEqual(DEBIAN_PACKAGES);
  });
});
