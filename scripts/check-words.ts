import { pathToFileURL } from 'node:url';
import jsTokens from 'js-tokens';
import { readSourceFiles, type SourceFile } from './source-files.ts';
import {
  CONSTANT_PREFIXES,
  FIELD_NAMES,
  IDENTIFIER_WORDS,
  IDENTIFIERS,
  OPENINGS,
  PROSE_WORDS,
  type Replacement,
  WORDS,
} from './word-list.ts';

/**
 * `node scripts/check-words.ts [PATH...]`: rejects the words of scripts/word-list.ts in identifiers, comments,
 * test titles and documents, and names the replacement. Exits with 1 if it found one.
 */

/** A rejected word and where it stands. `line` counts from 1. */
export interface WordFinding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly use: string;
}

const toLookup = (lists: readonly (readonly Replacement[])[]): ReadonlyMap<string, string> =>
  new Map(lists.flat().flatMap(({ words, use }) => words.map((word) => [word, use] as const)));

/** Names that the platform gives: `Promise.allSettled`, `process.env.HOME`. */
const GIVEN_NAMES = new Set(['allSettled', 'leftYAxis', 'PromiseSettledResult', 'PromiseRejectedResult']);

const inIdentifiers = toLookup([WORDS, IDENTIFIER_WORDS]);
const asIdentifiers = toLookup([IDENTIFIERS]);
const asPrefixes = toLookup([CONSTANT_PREFIXES]);
const inProse = toLookup([WORDS, PROSE_WORDS]);

/** Lists the rejected words of a TypeScript source or a Markdown document. */
export function findRejectedWords(file: SourceFile): WordFinding[] {
  return file.path.endsWith('.md') ? checkDocument(file) : checkSource(file);
}

const TITLE = /(?:^|[^\w.])(?:describe|it|test)(?:\.\w+)*(?:\([^()]*\))?\($/;

function checkSource({ path, text }: SourceFile): WordFinding[] {
  const findings: WordFinding[] = [];
  let line = 1;
  let before = '';
  const tokens = [...jsTokens(text, { jsx: path.endsWith('x') })];
  for (const [index, { type, value }] of tokens.entries()) {
    const report = (word: string, use: string, at = line) => findings.push({ path, line: at, word, use });
    if (type === 'IdentifierName' || type === 'PrivateIdentifier') {
      const isKey = before.endsWith('.') || (/[{,]$/.test(before) && tokens[index + 1]?.value === ':');
      if (!FIELD_NAMES[path]?.includes(value)) checkIdentifier(value, isKey, report);
    }
    if (type === 'SingleLineComment' || type === 'MultiLineComment') {
      checkProse(value, line, report);
      checkOpening(value, line, report);
    }
    const isText = type === 'StringLiteral' || type.endsWith('Template') || type === 'TemplateHead';
    if (isText && TITLE.test(before)) checkProse(value, line, report);
    line += value.split('\n').length - 1;
    if (type !== 'WhiteSpace' && type !== 'LineTerminatorSequence') before = (before + value).slice(-60);
  }
  return findings;
}

type Report = (word: string, use: string, line?: number) => void;

/** @param isKey - a read or given property: its name belongs to the type that declares it */
function checkIdentifier(name: string, isKey: boolean, report: Report): void {
  if (GIVEN_NAMES.has(name)) return;
  const use = isKey ? undefined : asIdentifiers.get(name);
  if (use !== undefined) report(name, use);
  const [, prefix = ''] = /^([A-Z]+)_/.exec(name) ?? [];
  const prefixUse = asPrefixes.get(prefix.toLowerCase());
  if (prefixUse !== undefined) report(name, prefixUse);
  const parts = name.split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  for (const [index, part] of parts.entries()) {
    // "at most" and "at least" are plain terms of a bound.
    if (parts[index - 1]?.toLowerCase() === 'at') continue;
    const partUse = inIdentifiers.get(part.toLowerCase());
    if (partUse !== undefined) report(`${part} in ${name}`, partUse);
  }
}

/** Code spans and links are names, not prose. */
const NOT_PROSE = /`[^`]*`|\bhttps?:\/\/\S+|\]\([^)]*\)|\{@link [^}]*\}/g;

function checkProse(prose: string, first: number, report: Report): void {
  for (const [index, lineText] of prose.split('\n').entries()) {
    for (const [word] of lineText.replace(NOT_PROSE, ' ').matchAll(/[A-Za-z]+/g)) {
      const use = inProse.get(word.toLowerCase());
      if (use !== undefined) report(word, use, first + index);
    }
  }
}

function checkOpening(comment: string, line: number, report: Report): void {
  const opening = comment.replace(/^\/[/*]+\s*(\*\s+)?/, '');
  for (const { pattern, use } of OPENINGS) {
    const match = pattern.exec(opening);
    if (match) report(match[0], use, line + opening.slice(0, match.index).split('\n').length - 1);
  }
}

function checkDocument({ path, text }: SourceFile): WordFinding[] {
  const findings: WordFinding[] = [];
  const prose = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ''));
  checkProse(prose, 1, (word, use, line = 1) => findings.push({ path, line, word, use }));
  return findings;
}

/** Files whose words are data: generated lists, recorded cases, the list itself. */
const EXEMPT = /(^|\/)(data|snapshots|__snapshots__)\/|^scripts\/word-list\.ts$|word-list\.test\.ts$/;

function main(paths: readonly string[]): void {
  const chosen = paths.length > 0 ? paths.flatMap((path) => [`${path}`]) : ['*.ts', '*.tsx', '*.md'];
  const files = readSourceFiles(...chosen).filter(({ path }) => /\.(tsx?|md)$/.test(path) && !EXEMPT.test(path));
  const findings = files.flatMap(findRejectedWords);
  for (const { path, line, word, use } of findings) {
    process.stdout.write(`${path}:${line}: "${word}": write ${use}\n`);
  }
  process.stdout.write(`${files.length} files, ${findings.length} rejected words\n`);
  if (findings.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
