import { builtinModules } from 'node:module';
import { dirname, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import jsTokens from 'js-tokens';
import { IMPORT_RULES, type ImportRule } from './import-rules.ts';
import { readSourceFiles, type SourceFile } from './source-files.ts';

/**
 * `npm run check`: holds every import of the project against scripts/import-rules.ts, type imports
 * and `import()` included. Exits with 1 if one is not allowed.
 */

export interface ImportFinding {
  readonly path: string;
  readonly line: number;
  readonly imported: string;
  /** The folder or file whose rule forbids it. */
  readonly rule: string;
}

/** Lists the imports of a file that its folder's rule does not allow. */
export function findForbiddenImports(
  file: SourceFile,
  rules: Readonly<Record<string, ImportRule>> = IMPORT_RULES,
): ImportFinding[] {
  const owner = findRule(file.path, rules);
  if (owner === undefined) {
    return [{ path: file.path, line: 1, imported: 'no rule for this folder', rule: 'none' }];
  }
  return listImports(file)
    .filter(({ specifier }) => !isAllowed(file.path, specifier, owner, rules))
    .map(({ specifier, line }) => ({ path: file.path, line, imported: specifier, rule: owner }));
}

/** The longest key of the table that is the file itself or a folder above it. */
function findRule(path: string, rules: Readonly<Record<string, ImportRule>>): string | undefined {
  return Object.keys(rules)
    .filter((key) => isWithin(path, key))
    .sort((a, b) => b.length - a.length)[0];
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function isAllowed(
  path: string,
  specifier: string,
  owner: string,
  rules: Readonly<Record<string, ImportRule>>,
): boolean {
  const { folders = [], packages = [] } = rules[owner] ?? {};
  if (!specifier.startsWith('.')) return packages.some((name) => matchesPackage(specifier, name));
  const target = posix.join(dirname(path), specifier);
  if (findRule(target, rules) === owner) return true;
  const closed = Object.keys(rules).find((key) => rules[key]?.closed && isWithin(target, key));
  return folders.some((folder) => isWithin(target, folder) && (closed === undefined || isWithin(folder, closed)));
}

function matchesPackage(specifier: string, allowed: string): boolean {
  if (allowed === 'node:*') return specifier.startsWith('node:') || builtinModules.includes(specifier);
  if (allowed.endsWith('*')) return specifier.startsWith(allowed.slice(0, -1));
  return specifier === allowed;
}

interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** Lists the specifiers after `from`, `import` and `import(` of a TypeScript source. */
export function listImports({ path, text }: SourceFile): Import[] {
  const imports: Import[] = [];
  let line = 1;
  let previous = '';
  let beforePrevious = '';
  for (const { type, value } of jsTokens(text, { jsx: path.endsWith('x') })) {
    const isAfterImport =
      previous === 'from' || previous === 'import' || (previous === '(' && beforePrevious === 'import');
    if (type === 'StringLiteral' && isAfterImport) imports.push({ specifier: value.slice(1, -1), line });
    line += value.split('\n').length - 1;
    if (type === 'WhiteSpace' || type === 'LineTerminatorSequence' || type.endsWith('Comment')) continue;
    beforePrevious = previous;
    previous = value;
  }
  return imports;
}

function main(): void {
  const files = readSourceFiles('*.ts', '*.tsx').filter(({ path }) => path.includes('/'));
  const findings = files.flatMap((file) => findForbiddenImports(file));
  for (const { path, line, imported, rule } of findings) {
    process.stdout.write(`${path}:${line}: may not import ${imported} (rule of ${rule})\n`);
  }
  process.stdout.write(`${files.length} files, ${findings.length} forbidden imports\n`);
  if (findings.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
