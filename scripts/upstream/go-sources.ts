import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** One Go file of a module. */
export interface GoFile {
  /** The import path of its package. */
  readonly package: string;
  readonly path: string;
  readonly text: string;
}

/** Test code of the modules: its constants and Events are not part of the surface. */
const isExcluded = (path: string): boolean =>
  /(^|\/)(test|fake|testing|kwok)\//.test(path) || path.endsWith('_test.go');

/** Reads the Go files below `pkg/` of a module in Go's module cache. */
export function readGoFiles(module: string, folder: string): readonly GoFile[] {
  const entries = readdirSync(join(folder, 'pkg'), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.go'))
    .map((entry) => ({ folder: relative(folder, entry.parentPath), name: entry.name }))
    .filter((file) => !isExcluded(`${file.folder}/${file.name}`))
    .map((file) => ({
      package: `${module}/${file.folder}`,
      path: `${file.folder}/${file.name}`,
      text: readFileSync(join(folder, file.folder, file.name), 'utf8'),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Resolves expressions of strings, such as `apis.Group + "/nodepool"`, and names of label variables. */
export interface GoStrings {
  /** The value of an expression in a file; `undefined` if it is not a constant of these modules. */
  resolve(file: GoFile, expression: string): string | undefined;
  /** All constants of a file by their names. */
  constants(file: GoFile): ReadonlyMap<string, string>;
}

/** gofmt writes each constant on a line of its own: `Name = expr`, `Name Type = expr`, `const Name = expr`. */
const CONSTANT = /^\s*(?:const |var )?(\w+)(?: +[\w.]+)? += (.+)$/gm;
/** `Name = opmetrics.Label{ Name: expr`: the name of a label of metrics. */
const LABEL = /^\s*(?:var )?(\w+) += \w+\.Label\{\s*Name: +([^,\n]+),/gm;
const MAX_DEPTH = 10;

export function collectGoStrings(files: readonly GoFile[]): GoStrings {
  const expressions = new Map<string, { readonly file: GoFile; readonly expression: string }>();
  for (const file of files) {
    for (const pattern of [CONSTANT, LABEL]) {
      for (const [, name = '', expression = ''] of file.text.matchAll(pattern)) {
        const isLabelOpening = pattern === CONSTANT && expression.includes('{');
        if (!isLabelOpening) expressions.set(`${file.package}.${name}`, { file, expression });
      }
    }
  }

  function resolve(file: GoFile, expression: string, depth = 0): string | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const parts = expression.split(/ \+ /).map((part) => resolvePart(file, part.trim(), depth));
    return parts.some((part) => part === undefined) ? undefined : parts.join('');
  }

  function resolvePart(file: GoFile, part: string, depth: number): string | undefined {
    const literal = /^"([^"]*)"/.exec(part)?.[1];
    if (literal !== undefined) return literal;
    const [, alias, name] = /^(?:(\w+)\.)?(\w+)$/.exec(part) ?? [];
    if (name === undefined) return undefined;
    const from = alias === undefined ? file.package : findImport(file, alias);
    const constant = expressions.get(`${from}.${name}`);
    return constant && resolve(constant.file, constant.expression, depth + 1);
  }

  return {
    resolve: (file, expression) => resolve(file, expression),
    constants: (file) =>
      new Map(
        [...file.text.matchAll(CONSTANT)].flatMap(([, name = '', expression = '']) => {
          const value = expression.includes('{') ? undefined : resolve(file, expression);
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
  };
}

function findImport(file: GoFile, alias: string): string | undefined {
  const imports = [...file.text.matchAll(/^(?:\t|import )(?:(\w+) )?"([^"]+)"$/gm)];
  return imports.find(([, named, path = '']) => (named ?? path.split('/').at(-1)) === alias)?.[2];
}
