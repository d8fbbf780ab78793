import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { name, version } = packageJson;

/** Texts that users copy commands from, or that run in their pipelines. */
const FOLDERS = {
  '.github': /./,
  charts: /./,
  cli: /\.(?:ts|js)$/,
  docs: /\.md$/,
  examples: /./,
  infra: /\.ts$/,
  packaging: /\.(?:ts|js)$/,
  shared: /\.ts$/,
  site: /^(?!.*node_modules\/)(?!pages\/).*\.(?:md|ts|json)$/,
  terraform: /./,
  test: /\.(?:md|sh)$/,
};
const FILES = [
  ...readdirSync(ROOT).filter((file) => /\.(?:md|yml)$/.test(file)),
  ...Object.entries(FOLDERS).flatMap(([folder, pattern]) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
      .filter((file) => pattern.test(file.slice(folder.length + 1))),
  ),
];

/** Runs a package that the folder does not have by asking the registry for it. */
const RUNNERS = `npx|npm exec|npm x|bunx|pnpx|pnpm dlx|yarn dlx|pnpm exec|bun x`;
const INSTALLERS = `npm (?:install|i|add|ci|view|create|init)|(?:pnpm|yarn|bun) (?:global )?(?:add|create|install)`;
/** The package with or without a scope and a version, as a word of its own: no path and no file. */
const PACKAGE = String.raw`(?:@[\w.-]+/)?mortise(?:@[\w.^~-]+)?(?![\w./-])`;
const ASKS = new RegExp(
  String.raw`\b(?:${RUNNERS})[ \t]+(?:-{1,2}[\w=-]+[ \t]+)*${PACKAGE}|\b(?:${INSTALLERS})[ \t]+(?:[\w@./:^~=-]+[ \t]+)*?${PACKAGE}`,
  'g',
);
const findRequests = (text: string): readonly string[] =>
  [...text.replaceAll(/\\\n\s*/g, '').matchAll(ASKS)].map(([command]) => command);

describe('the name of the package', () => {
  it('has a scope, which only its owner can publish to', () => {
    expect(name).toMatch(/^@[a-z-]+\/mortise$/);
  });

  it.each([
    ['npx mortise start', true],
    ['npx --yes mortise@latest start', true],
    ['npm install --global --no-audit mortise', true],
    ['npm install mortise aws-cdk aws-cdk-lib', true],
    ['npm install aws-cdk-lib mortise@0.1.0', true],
    [`npm install ${name}`, true],
    ['yarn dlx mortise validate', true],
    ['pnpm add -D mortise', true],
    ['npm install \\\n  mortise', true],
    ['npm run mortise -- start', false],
    ['npm install ../mortise/dist/mortise-0.1.0.tgz aws-cdk', false],
    ['npm ci && npm run package && mortise deploy', false],
    ['npx cdk deploy -c cluster=shop', false],
    [`import { Mortise } from '${name}/cdk';`, false],
  ])('is asked for in a registry by "%s": %s', (command, expected) => {
    expect(findRequests(command).length > 0).toBe(expected);
  });

  it('is asked for in a registry by no command before the first release', () => {
    const commands = FILES.flatMap((file) =>
      findRequests(readFileSync(join(ROOT, file), 'utf8')).map((command) => `${file}: ${command}`),
    );

    expect(FILES.length).toBeGreaterThan(500);
    expect(commands).toEqual([]);
  });

  it('is that of package.json wherever the construct or the Terraform module is named', () => {
    // Earlier decisions have the name of their time.
    const others = FILES.filter((file) => !file.startsWith('docs/decisions')).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/[\w@./-]*\bmortise\/(?:cdk|terraform)\b/g)]
        .map(([path]) => path.replace(/^.*node_modules\//, ''))
        .filter((path) => !path.startsWith(`${name}/`))
        .map((path) => `${file}: ${path}`),
    );

    expect(others).toEqual([]);
  });

  it('stands for a tarball of this version wherever a page names its file', () => {
    const tarballs = FILES.filter((file) => file.endsWith('.md')).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bmortise-\d[\w.-]*\.tgz/g)].map(([tarball]) => tarball),
    );

    expect(new Set(tarballs)).toEqual(new Set([`mortise-${version}.tgz`]));
  });
});
