import { build } from 'esbuild';
import { parseSync } from 'oxc-parser';
import { BUNDLING } from '../../../../infra/bundling/bundling.ts';

/** A node of the syntax tree, in the format ESTree. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Called with each node of the code that can run, and with the file that it is from. */
export type Visit = (node: SyntaxNode, file: string) => void;

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** Values of members that may be functions: `terminate: instances.terminate`. */
const REFERENCES: ReadonlySet<string> = new Set(['Identifier', 'MemberExpression']);

/**
 * Visits the code that can run if an entry point is loaded, handlers included.
 *
 * The code is the bundle of the entry point without packages. A function in it can run once its name
 * is mentioned in code that can run: as a variable, or as a property (`.terminate`, `{ terminate }`)
 * for methods and members of objects. Names say nothing about types, so two methods of the same name
 * count as one: this finds too much rather than too little. A member whose name is mentioned nowhere
 * is called by a package and counts as run.
 *
 * @param unused - functions that this entry point never calls, whatever their callers look like
 */
export async function visitReachedCode(entry: string, visit: Visit, unused: readonly string[] = []): Promise<void> {
  const code = await bundle(entry);
  const { program, errors } = parseSync('bundle.mjs', code);
  const [error] = errors;
  if (error) throw new Error(`the bundle of ${entry} cannot be parsed: ${error.message}`);
  if (!isNode(program)) throw new Error(`the bundle of ${entry} is no program`);
  walkReached(program, {
    visit,
    findFile: createFileFinder(code),
    mentioned: listMentioned(program),
    unused: new Set(unused.map((name) => `v:${name}`)),
  });
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    target: BUNDLING.target,
    mainFields: BUNDLING.mainFields,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    // Data sends nothing.
    loader: { '.json': 'empty' },
    outdir: 'unused',
  });
  return outputFiles[0]?.text ?? '';
}

/** esbuild writes the name of each file above its code. */
function createFileFinder(code: string): (position: number) => string {
  const marks = [...code.matchAll(/^\s*\/\/ (\w[\w/.-]+\.tsx?)$/gm)];
  return (position) => {
    let first = 0;
    let end = marks.length;
    while (first < end) {
      const middle = (first + end) >> 1;
      if ((marks[middle]?.index ?? 0) <= position) first = middle + 1;
      else end = middle;
    }
    return marks[first - 1]?.[1] ?? '';
  };
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

function listChildren(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flatMap((value) => [value].flat().filter(isNode));
}

/** The text of a name or of a literal key. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node.name);
  return node.type === 'Literal' ? String(node.value) : undefined;
}

/** Properties that are read or taken out of an object: `.name`, `{ name } = object`. */
function propertyRead(node: SyntaxNode): string | undefined {
  if (node.type === 'MemberExpression' && node.computed !== true) return nameOf(node.property);
  return undefined;
}

/** The members that a pattern takes out of an object. */
const patternKeys = (node: SyntaxNode): readonly string[] =>
  node.type === 'ObjectPattern' && Array.isArray(node.properties)
    ? node.properties.flatMap((one: unknown) =>
        isNode(one) && one.type === 'Property' && one.computed !== true ? (nameOf(one.key) ?? []) : [],
      )
    : [];

function listMentioned(program: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  const pending: SyntaxNode[] = [program];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const read = propertyRead(node);
    if (read !== undefined) names.add(read);
    for (const key of patternKeys(node)) names.add(key);
    pending.push(...listChildren(node));
  }
  return names;
}

interface WalkContext {
  readonly visit: Visit;
  readonly findFile: (position: number) => string;
  /** The properties that are read anywhere. */
  readonly mentioned: ReadonlySet<string>;
  readonly unused: ReadonlySet<string>;
}

/** Code that waits until its name is used: `v:name` for variables, `p:name` for properties. */
function walkReached(program: SyntaxNode, { visit, findFile, mentioned, unused }: WalkContext): void {
  const used = new Set<string>();
  const waiting = new Map<string, SyntaxNode[]>();
  const pending: SyntaxNode[] = listChildren(program).toReversed();

  function use(name: string): void {
    if (used.has(name) || unused.has(name)) return;
    used.add(name);
    pending.push(...(waiting.get(name) ?? []));
    waiting.delete(name);
  }

  function runIfUsed(name: string, code: SyntaxNode): void {
    if (used.has(name)) pending.push(code);
    else waiting.set(name, [...(waiting.get(name) ?? []), code]);
  }

  /** @returns the children that run with the node itself */
  function split(node: SyntaxNode): readonly SyntaxNode[] {
    const { id, init, key, value } = node;
    const variable = nameOf(id);
    if (node.type === 'FunctionDeclaration' && variable !== undefined && isNode(node.body)) {
      for (const child of listChildren(node)) if (child !== id) runIfUsed(`v:${variable}`, child);
      return [];
    }
    if (node.type === 'VariableDeclarator' && isNode(init) && FUNCTIONS.has(init.type)) {
      if (variable === undefined) return listChildren(node);
      runIfUsed(`v:${variable}`, init);
      return [];
    }
    const isMember = node.type === 'Property' || node.type === 'MethodDefinition';
    const member = isMember && node.computed !== true ? nameOf(key) : undefined;
    if (member === undefined || !isNode(value)) return listChildren(node);
    const isCallable = FUNCTIONS.has(value.type) || REFERENCES.has(value.type);
    const isCalledByUs = mentioned.has(member) && node.kind !== 'get' && node.kind !== 'constructor';
    if (!isCallable || !isCalledByUs) return [value];
    runIfUsed(`p:${member}`, value);
    return [];
  }

  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'ImportDeclaration') continue;
    visit(node, findFile(node.start));
    const read = propertyRead(node);
    if (read !== undefined) use(`p:${read}`);
    for (const key of patternKeys(node)) use(`p:${key}`);
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') use(`v:${String(node.name)}`);
    if (node.type === 'MemberExpression' && node.computed !== true) {
      if (isNode(node.object)) pending.push(node.object);
      continue;
    }
    if (node.type === 'ObjectPattern') {
      pending.push(...listPatternParts(node));
      continue;
    }
    pending.push(...split(node));
  }
}

/** Variables of a pattern and their defaults; its keys are no variables. */
const listPatternParts = (node: SyntaxNode): readonly SyntaxNode[] =>
  listChildren(node).flatMap((one) =>
    one.type === 'Property' && isNode(one.value)
      ? [one.value, ...(one.computed === true && isNode(one.key) ? [one.key] : [])]
      : [one],
  );
