import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import jsTokens from 'js-tokens';
import { listImports } from './check-imports.ts';
import { SIZE_BUDGETS, type SizeBudget } from './size-budget.ts';
import { readSourceFiles, type SourceFile } from './source-files.ts';

/**
 * `npm run check`: holds the size of the production code against scripts/size-budget.ts, in tokens without
 * comments, so that neither layout nor explanations count. Exits with 1 if a part is too large.
 */

interface MeasuredPart extends SizeBudget {
  readonly size: number;
  readonly files: number;
}

const IGNORED = new Set(['WhiteSpace', 'LineTerminatorSequence', 'SingleLineComment', 'MultiLineComment']);

export function countTokens({ path, text }: SourceFile): number {
  let count = 0;
  for (const { type } of jsTokens(text, { jsx: path.endsWith('x') })) if (!IGNORED.has(type)) count++;
  return count;
}

/** Measures each part of the budgets in files that are not tests. */
export function measureParts(files: readonly SourceFile[], budgets: readonly SizeBudget[]): readonly MeasuredPart[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const sizes = new Map(files.map((file) => [file.path, countTokens(file)]));
  return budgets.map((budget) => {
    const paths =
      budget.entry === undefined ? listWithin(files, budget.folders ?? []) : listClosure(byPath, budget.entry);
    return { ...budget, files: paths.length, size: paths.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0) };
  });
}

const listWithin = (files: readonly SourceFile[], folders: readonly string[]): readonly string[] =>
  files
    .map(({ path }) => path)
    .filter((path) => folders.some((folder) => folder === '.' || path.startsWith(`${folder}/`)));

/** The entry and all files that it imports, directly or not; types included. */
function listClosure(files: ReadonlyMap<string, SourceFile>, entry: string): readonly string[] {
  const reached = new Set<string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = files.get(path);
    if (!file || reached.has(path)) continue;
    reached.add(path);
    const folder = posix.dirname(path);
    for (const { specifier } of listImports(file)) {
      if (specifier.startsWith('.')) open.push(posix.join(folder, specifier));
    }
  }
  return [...reached];
}

function main(): void {
  const files = readSourceFiles('*.ts', '*.tsx').filter(({ path }) => !path.startsWith('test/'));
  for (const { part, size, files: count, tokens } of measureParts(files, SIZE_BUDGETS)) {
    const isTooLarge = size > tokens;
    if (isTooLarge) process.exitCode = 1;
    const verdict = isTooLarge ? `exceeds ${tokens} of scripts/size-budget.ts` : `of ${tokens}`;
    process.stdout.write(`${part}: ${count} files, ${size} tokens, ${verdict}\n`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
