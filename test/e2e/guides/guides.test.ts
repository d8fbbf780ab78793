import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocksIn, commandsIn } from '../../docs/code-blocks.ts';
import { REPOSITORY } from '../lab/repository.ts';
import { GUIDES, LAB_PROGRAMS, NOT_RUN, toLabNames, WATCHED } from './lab-differences.ts';
import { findVariable, type GuideCommand, inlineCommandsIn, readGuide } from './read-guide.ts';

const PAGES = Object.values(GUIDES);
const textOf = (page: string): string => readFileSync(join(REPOSITORY, page), 'utf8');
const commandsOf = (page: string): readonly GuideCommand[] => readGuide(textOf(page)).commands;
const ALL_LINES = PAGES.flatMap((page) => commandsOf(page).map(({ line }) => line));

/** Commands that do not end, or whose result comes later. */
const ENDLESS = /--watch\b|^mortise (?:console|controller|start)\b|^kubectl (?:logs -f|port-forward|proxy)\b/;

const isNotRun = (line: string): boolean => NOT_RUN.some((one) => one.line === line);

/** The programs that a line of a shell calls. */
const programsOf = (line: string): readonly string[] =>
  commandsIn(`\`\`\`sh\n${line.replace(/^\w+=\$\((.*)\)$/, '$1')}\n\`\`\``).map(([program = '']) => program);

describe('the commands of the guides that the end-to-end tests follow', () => {
  it.each(PAGES)('call only programs that the lab has, or are listed with a reason, in %s', (page) => {
    const run = commandsOf(page).filter(({ line }) => !isNotRun(line));
    const others = run.filter(({ line }) => programsOf(line).some((program) => !LAB_PROGRAMS.includes(program)));

    expect(run).not.toEqual([]);
    expect(others.map(({ line }) => line)).toEqual([]);
  });

  it.each(PAGES)('have a bound in the list of watched commands if they do not end, in %s', (page) => {
    const endless = commandsOf(page).filter(({ line }) => ENDLESS.test(line) && !isNotRun(line));
    const bounded = endless.filter(({ line }) => WATCHED.some((one) => one.line === line));

    expect(endless).toEqual(bounded);
  });

  it.each(PAGES)('stand in blocks of their own, from which they are run, in %s', (page) => {
    expect(inlineCommandsIn(textOf(page))).toEqual([]);
  });

  it.each(PAGES)('stand in blocks whose language is known, in %s', (page) => {
    const languages = codeBlocksIn(textOf(page)).map(({ language }) => language);

    expect(languages.filter((one) => !['sh', 'text', 'yaml', 'ts'].includes(one))).toEqual([]);
  });

  it.each(PAGES)('are run if the guide shows their output, in %s', (page) => {
    const outputs = codeBlocksIn(textOf(page)).filter(({ language }) => language === 'text');
    const compared = commandsOf(page).filter(({ line, shown }) => shown && !isNotRun(line));

    expect(compared.map(({ shown }) => shown)).toEqual(outputs.map(({ text }) => text));
  });

  it('include every command that is listed as not run, with a reason', () => {
    expect(NOT_RUN.filter(({ line }) => !ALL_LINES.includes(line))).toEqual([]);
    expect(NOT_RUN.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });

  it('include every command that is watched', () => {
    expect(WATCHED.filter(({ line }) => !ALL_LINES.includes(line))).toEqual([]);
  });
});

describe('readGuide', () => {
  const MARKDOWN = [
    '1. Write',
    '   ```yaml',
    '   # nodes.yaml',
    '   kind: NodePool',
    '   ```',
    '```sh',
    'name=$(kubectl get nodes -o name)',
    '# a comment',
    'kubectl delete \\',
    '  "$name"   # twice',
    'kubectl get nodes',
    '```',
    'prints',
    '```text',
    'NAME READY',
    '```',
  ].join('\n');

  it('reads commands with their outputs, and files by their names', () => {
    expect(readGuide(MARKDOWN)).toEqual({
      commands: [
        { line: 'name=$(kubectl get nodes -o name)' },
        { line: 'kubectl delete "$name" # twice' },
        { line: 'kubectl get nodes', shown: 'NAME READY\n' },
      ],
      files: new Map([['nodes.yaml', '# nodes.yaml\nkind: NodePool\n']]),
    });
  });

  it('tells the assignment of a variable from a command that gets one', () => {
    expect(findVariable('name=$(kubectl get nodes -o name)')).toBe('name');
    expect(findVariable('FEATURE_GATES=A=true mortise start')).toBeUndefined();
  });

  it('finds commands with flags in the text, also across two lines', () => {
    const text = ['Run `kubectl scale deployment web', '--replicas=0` after `mortise uninstall`.'];

    expect(inlineCommandsIn([...text, MARKDOWN].join('\n'))).toEqual(['kubectl scale deployment web --replicas=0']);
  });
});

describe('toLabNames', () => {
  it('replaces cluster, region and account, and no part of a word', () => {
    const text = 'Mortise-shop in eu-west-1a of 123456789012, not workshop';

    expect(toLabNames(text)).toBe('Mortise-lab in us-east-1a of 000000000000, not workshop');
  });
});
