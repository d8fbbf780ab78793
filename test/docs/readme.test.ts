import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { packageManifest } from '../../packaging/build-package.ts';
import { demoTable } from './readme/demo-table.ts';
import { readSection, withoutIndent } from './readme/sections.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('The README lists the scenes of the demo as the playground plays them.', () => {
  expect(readSection(read('README.md'), 'demo')).toBe(demoTable());
});

it('All pages that give the time from a pod to the request to EC2 give it in the same words.', () => {
  const pages = ['README.md', 'docs/README.md', 'docs/faq.md', 'docs/guides/keda.md'];
  const words = 'usually within a second, and within about two seconds after idle time';
  const without = pages.filter((page) => !read(page).replaceAll(/\s+/g, ' ').includes(words));

  expect(without).toEqual([]);
});

it('The README and the reference of the command show the same simulated day.', () => {
  const day = withoutIndent(readSection(read('README.md'), 'day'));

  expect(read('docs/reference/cli.md')).toContain(day);
});

it('All pages name the same oldest Node.js: one for a clone, and one for the package.', () => {
  const oldestOf = (manifest: unknown): string => {
    const { engines } = z.object({ engines: z.object({ node: z.string() }) }).parse(manifest);
    return engines.node.replace('>=', '');
  };
  const [clone, installed] = [oldestOf(packageJson), oldestOf(packageManifest(packageJson))];
  const named = (file: string) => [...read(file).matchAll(/Node\.js (\d+) or newer/g)].map(([, version]) => version);

  for (const file of ['README.md', 'CONTRIBUTING.md', '.ci/run']) {
    expect([file, named(file)]).toEqual([file, [clone]]);
  }
  expect(named('docs/guides/getting-started.md')).toEqual([installed]);
  expect(read('packaging/packaged/bin.js')).toContain(`OLDEST_NODE_MAJOR = ${installed};`);
  const compatibility = read('docs/guides/compatibility.md');
  expect(compatibility).toContain(`| Node.js for the package | ${installed} and newer |`);
  expect(compatibility).toContain(
    `| Node.js for a clone | ${clone} and newer, with npm 11; scripts use the Node.js ${packageJson.devDependencies.node.split('.')[0]} that`,
  );
});
