import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { verbFirst } from '../../cli/arguments/verb-first.ts';
import { buildProgram } from '../../cli/program.ts';
import { readOptions } from '../../infra/options/read-options.ts';
import { codeBlocksIn, commandsIn } from './code-blocks.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('decisions'))
    .map((file) => join('docs', file)),
];
const GUIDES = PAGES.filter((page) => /^docs\/guides\/(?!README)/.test(page));

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The commands of a page that call `name`, each without this name. */
const callsOf = (page: string, name: string): readonly (readonly string[])[] =>
  commandsIn(textOf(page)).flatMap((words) => {
    const [called, ...args] = withoutRunner(words);
    return called === name ? [args] : [];
  });

/** The words of a command after `npx` or `npm run`; `npm run NAME -- ARGS` calls NAME with ARGS. */
function withoutRunner(words: readonly string[]): readonly string[] {
  const [runner, ...rest] = words;
  if (runner === 'npx') return rest;
  if (runner !== 'npm' || rest[0] !== 'run') return words;
  return rest.slice(1).filter((word, index) => word !== '--' || index !== 1);
}

/** Values of a flag that may be repeated. */
const valuesOf = (args: readonly string[], ...flags: readonly string[]): readonly string[] =>
  args.flatMap((arg, index) => (flags.includes(arg) ? [args[index + 1] ?? ''] : []));

const output = { write: () => undefined };
const IO = { stdin: Readable.from([]), stdout: output, stderr: output, env: {}, cwd: '/' };

/** Parses a call with the definitions of the command, and does not run it. */
async function problemsOf(argv: readonly string[]): Promise<readonly string[]> {
  const program = buildProgram(IO, async () => undefined);
  try {
    await program.parseAsync(verbFirst(argv, program), { from: 'user' });
    return [];
  } catch (error) {
    return [`mortise ${argv.join(' ')}: ${String(error)}`];
  }
}

/** Reads the options of a deployment as the stack does. */
function optionProblemsOf(settings: readonly string[]): readonly string[] {
  const options = new Map([['cluster', 'shop']]);
  for (const setting of settings) {
    const [name = '', value = ''] = setting.split(/=(.*)/s);
    options.set(name, value);
  }
  // Names in Markdown stand for values that only the reader knows.
  if (settings.some((one) => /=([A-Z]+|<.*>|.*…)$/.test(one))) return [];
  try {
    readOptions((name) => options.get(name), {}, [...options.keys()]);
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** Files that a guide tells the reader to write: the first line of the block names them. */
const filesOf = (page: string): readonly string[] =>
  codeBlocksIn(textOf(page)).flatMap(({ text }) => /^(?:#|\/\/) (\S+\.\w+)$/m.exec(text)?.[1] ?? []);

describe('the documented commands', () => {
  it.each(PAGES.filter((page) => callsOf(page, 'mortise').length > 0))(
    'of mortise in %s are accepted by its definitions',
    async (page) => {
      const problems = await Promise.all(callsOf(page, 'mortise').map(problemsOf));

      expect(problems.flat()).toEqual([]);
    },
  );

  it.each(PAGES)('give options of the stack in %s that a deployment accepts', (page) => {
    const settings = [
      ...callsOf(page, 'mortise').map((args) => valuesOf(args, '--set')),
      ...callsOf(page, 'cdk').map((args) => valuesOf(args, '-c')),
    ];

    expect(settings.flatMap(optionProblemsOf)).toEqual([]);
  });
});

describe('the guides', () => {
  it.each(GUIDES)('name only files in %s that exist, or that the reader has written', (page) => {
    const named = ['mortise', 'kubectl', 'eksctl', 'helm']
      .flatMap((command) => callsOf(page, command))
      .flatMap((args) => valuesOf(args, '-f', '--filename', '--values'))
      .filter((path) => path !== '-' && !filesOf(page).includes(path));

    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each(GUIDES)('contain only YAML and JSON in %s that can be read', (page) => {
    const faults = codeBlocksIn(textOf(page))
      .filter(({ language }) => ['yaml', 'json'].includes(language))
      .flatMap(({ text }) => parseAllDocuments(text).flatMap(({ errors }) => errors));

    expect(faults).toEqual([]);
  });

  it.each(GUIDES)('have 40 to 250 lines in %s, and a worked example', (page) => {
    const lines = textOf(page).split('\n').length;

    expect(lines).toBeGreaterThanOrEqual(40);
    expect(lines).toBeLessThanOrEqual(250);
    expect(codeBlocksIn(textOf(page))).not.toEqual([]);
  });
});

describe('commandsIn', () => {
  it('splits lines into commands and words, without comments, pipes and redirections', () => {
    const text = [
      'Text with `mortise start`.',
      '1. Run',
      '   ```sh',
      '   npm run mortise -- deploy --cluster shop \\',
      "     --set 'a=b c'   # with an option",
      '   mortise validate -f - 2>&1 | tee out.txt && $ echo "x # y" > file',
      '   ```',
      '```yaml',
      'mortise: no command',
      '```',
    ].join('\n');

    expect(commandsIn(text)).toEqual([
      ['npm', 'run', 'mortise', '--', 'deploy', '--cluster', 'shop', '--set', 'a=b c'],
      ['mortise', 'validate', '-f', '-'],
      ['tee', 'out.txt'],
      ['$', 'echo', 'x # y'],
    ]);
  });
});
