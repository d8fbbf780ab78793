import { readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { DOCUMENT_KINDS } from '../../cli/documents/schemas.ts';
import { EXIT_OF } from '../../cli/errors.ts';
import { buildProgram } from '../../cli/program.ts';
import { mortise } from './call.ts';

const REFERENCE = readFileSync('docs/reference/cli.md', 'utf8');

const nowhere = { write: () => undefined };
const program = buildProgram(
  { stdin: process.stdin, stdout: nowhere, stderr: nowhere, env: {}, cwd: '.' },
  async () => undefined,
);
const visible = program.createHelp().visibleCommands(program);

const withVerbs = (command: CommandUnknownOpts): readonly CommandUnknownOpts[] => [
  command,
  ...command.commands.flatMap(withVerbs),
];
const flags = new Set(withVerbs(program).flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])));

/** Codes and exit codes of the rows under `## Errors`. */
const errorRows = new Map(
  [...REFERENCE.matchAll(/^\| (`[a-z`, -]+`) \| (\d+) \|/gm)].flatMap(([, codes = '', exit]) =>
    [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => [code, Number(exit)] as const),
  ),
);

/** Code blocks that begin with a call, and their output. */
const examples = [...REFERENCE.matchAll(/^```\n\$ mortise (.+)\n((?:.*\n)*?)```$/gm)].map(
  ([, words = '', printed = '']) => ({ words, printed }),
);

describe('the reference of the command', () => {
  it.each(examples)('shows the output of mortise $words', async ({ words, printed }) => {
    const argv = words.match(/'[^']*'|\S+/g) ?? [];
    expect((await mortise(argv.map((word) => word.replaceAll("'", '')))).stdout).toBe(printed);
  });

  it.each(visible.map((command) => command.name()))('contains the verb %s', (verb) => {
    expect(REFERENCE).toMatch(new RegExp(`^### .*\`${verb}\\b`, 'm'));
  });

  it.each([...flags])('contains the flag %s', (flag) => {
    expect(REFERENCE).toMatch(new RegExp(`${flag}\\b`));
  });

  it('contains no flag that does not exist', () => {
    const ours = REFERENCE.replaceAll(/^ *(?:fix: )?(?:kubectl|aws) .*$/gm, '');
    const documentedFlags = [...ours.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);

    expect(documentedFlags.filter((flag) => !flags.has(flag) && flag !== '--help')).toEqual([]);
  });

  it.each(DOCUMENT_KINDS)('contains the document kind %s', (kind) => {
    expect(REFERENCE).toContain(`\`${kind}\``);
  });

  it.each(Object.entries(EXIT_OF))('contains the error %s with exit code %i', (code, exit) => {
    expect(errorRows.get(code)).toBe(exit);
  });
});
