import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLError,
} from 'yaml';
import { type FieldPath, quoteUnlessName } from '../finding.ts';
import { splitJsonStream } from './json-stream.ts';
import { kubectlTags } from './yaml-tags.ts';

interface Position {
  /** 1-based. */
  readonly line: number;
  readonly column: number;
}

type ParsedDocument = Document.Parsed | Document;

export interface YamlDocument {
  /** 1-based; empty documents count. */
  readonly number: number;
  /** Plain data without null fields, which count as absent. */
  readonly value: unknown;
  /** The parsed document, including comments. */
  readonly root: ParsedDocument;
  /** As written, without the line `---` before it. */
  readonly text: string;
  /** Returns the position of a field, or of the nearest existing field around it. */
  positionOf(path: FieldPath, part: 'key' | 'value'): Position;
  /** Returns the characters of a scalar, without quotes: `1.10` for the number 1.1. */
  writtenAt(path: FieldPath): string | undefined;
}

export interface YamlFault extends Position {
  readonly document: number;
  readonly why: string;
  readonly fix: string;
}

interface YamlReading {
  readonly documents: readonly YamlDocument[];
  /** At most one for each document, because later errors mostly follow from the first. */
  readonly faults: readonly YamlFault[];
}

/** Reads YAML, JSON or a stream of JSON objects like kubectl. */
export function readYaml(text: string): YamlReading {
  const nul = text.indexOf('\0');
  if (nul >= 0) return { documents: [], faults: [nulFault(text.slice(0, nul))] };
  const lines = countLines(text);
  const parsed = splitJsonStream(text).flatMap(({ from, to }) => {
    const part = { text: text.slice(from, to), from };
    return parseText(part.text).map((document) => ({ document, part }));
  });

  const documents: YamlDocument[] = [];
  const faults: YamlFault[] = [];
  for (const [index, { document, part }] of parsed.entries()) {
    const read = readDocument(document, { number: index + 1, lines, ...part });
    if ('why' in read) faults.push(read);
    else if (read.value !== undefined) documents.push(read);
  }
  return { documents, faults };
}

function parseText(text: string): readonly ParsedDocument[] {
  const parsed = parseAllDocuments(text, {
    version: '1.1',
    customTags: kubectlTags,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  // The library returns an empty list with extra properties for an empty stream.
  return 'empty' in parsed ? [] : parsed;
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

/** No YAML may have this character; parsers of other programs end the text there. */
function nulFault(before: string): YamlFault {
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  const why = 'a NUL byte is in the text, which no YAML may have';
  return { document: 1, line, column, why, fix: 'remove it, or name the right file' };
}

interface DocumentContext {
  readonly number: number;
  /** The lines of the whole text. */
  readonly lines: LineCounter;
  /** The part of the whole text that was parsed, with all its documents. */
  readonly text: string;
  /** Where the part begins in the whole text. */
  readonly from: number;
}

const HELM_TEMPLATE = {
  why: 'a Helm template and no manifest: values are still to be filled in',
  fix: 'run `helm template` first, and name the file with its output',
} as const;

/** Texts that only a template has, each with the program that fills them in. */
const TEMPLATES: readonly (readonly [RegExp, { readonly why: string; readonly fix: string }])[] = [
  [/^\s*\{\{|[:-] \{\{/m, HELM_TEMPLATE],
  [
    /%\{~? *(?:for|if|else|endfor|endif)\b/,
    {
      why: 'a Terraform template and no manifest: its directives are still to be carried out',
      fix: 'render it with `templatefile` first, for example in `terraform console`, and name the file with the result',
    },
  ],
  [
    /^\s*\{%-? *\w+|[:-] \{% */m,
    {
      why: 'a Jinja template and no manifest: its statements are still to be carried out',
      fix: 'render it first, and name the file with the result',
    },
  ],
];

function readDocument(
  document: ParsedDocument,
  { number, lines, text, from }: DocumentContext,
): YamlDocument | YamlFault {
  const [error] = document.errors;
  if (error) {
    // A directive of a template also ends the document before it, so the whole text counts.
    const template = TEMPLATES.find(([pattern]) => pattern.test(text))?.[1];
    const said = template ?? explain(error);
    return { document: number, ...positionAt(lines, from + error.pos[0]), ...said };
  }
  const data = contentFault(document) ?? toPlainData(document);
  if ('why' in data) {
    const { offset, ...text } = data;
    return { document: number, ...positionAt(lines, from + offset), ...text };
  }
  return {
    number,
    value: withoutNulls(data.value),
    root: document,
    text: textOf(document, text),
    positionOf: (path, part) => positionAt(lines, from + findOffset(document, path, part)),
    writtenAt: (path) => findScalar(document, path)?.source,
  };
}

function textOf({ range }: ParsedDocument, text: string): string {
  const [from = 0, , to = text.length] = range ?? [];
  return text.slice(from, to);
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

const FIXES: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_SCALAR_START: 'put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'put a value that holds ": " in quotes, or start a new line',
  RESOURCE_EXHAUSTION: 'nest it less deeply',
};

const UNCLOSED: readonly (readonly [RegExp, string, string])[] = [
  [/^Flow sequence .* end with/, 'flow sequence', ']'],
  [/^Flow map .* end with/, 'flow map', '}'],
  [/^Missing closing "/, 'quoted text', '"'],
  [/^Missing closing '/, 'quoted text', "'"],
];

function explain({ code, message }: YAMLError): { why: string; fix: string } {
  const [, what, mark] = UNCLOSED.find(([pattern]) => pattern.test(message)) ?? [];
  if (what && mark) return { why: `${what} not closed`, fix: `close it with ${mark}` };
  const fix = FIXES[code] ?? 'look at the indentation and the quotes around it';
  return { why: `${message.charAt(0).toLowerCase()}${message.slice(1)}`, fix };
}

interface Fault {
  readonly offset: number;
  readonly why: string;
  readonly fix: string;
}

/** A second object begins where apiVersion and kind come again; the first would be lost. */
function secondObjectFault({ contents }: ParsedDocument): Fault | undefined {
  if (!isMap(contents)) return undefined;
  const keysCalled = (name: string) =>
    contents.items.flatMap(({ key }) => (isScalar(key) && key.value === name ? [key] : []));
  const seconds = [keysCalled('apiVersion')[1], keysCalled('kind')[1]];
  const offsets = seconds.flatMap((key) => key?.range?.[0] ?? []);
  if (offsets.length < seconds.length) return undefined;
  const why = 'apiVersion and kind are there twice: two objects in one document';
  return { offset: Math.min(...offsets), why, fix: 'put a line --- between them' };
}

/** A second object, a Helm template, an alias without an anchor, or one that contains itself. */
function contentFault(document: ParsedDocument): Fault | undefined {
  let fault = secondObjectFault(document);
  if (fault) return fault;
  visit(document, {
    Map(_, map) {
      // `{{ .Values.role }}` is a map whose only key is a map.
      const [first] = map.flow === true ? map.items : [];
      if (!isMap(first?.key) || first.key.flow !== true) return undefined;
      fault = { offset: map.range?.[0] ?? 0, ...HELM_TEMPLATE };
      return visit.BREAK;
    },
    Alias(_, alias, ancestors) {
      const target = alias.resolve(document);
      const offset = alias.range?.[0] ?? 0;
      const name = quoteUnlessName(alias.source);
      if (!target) {
        const why = `no anchor &${name} stands before it`;
        fault = { offset, why, fix: `set the anchor, or quote "*${name}"` };
      } else if (ancestors.includes(target)) {
        fault = { offset, why: `*${name} holds itself`, fix: 'write the value out' };
      }
      return fault ? visit.BREAK : undefined;
    },
  });
  return fault;
}

/** More than manifests need, and far less than an alias bomb expands to. */
const MAX_ALIAS_EXPANSIONS = 1_000;

function toPlainData(document: ParsedDocument): { readonly value: unknown } | Fault {
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIAS_EXPANSIONS }) };
  } catch (cause) {
    // The library's error message when `maxAliasCount` is exceeded.
    if (!(cause instanceof ReferenceError)) throw cause;
    const offset = document.range?.[0] ?? 0;
    return { offset, why: 'its aliases expand to too much', fix: 'write the values out' };
  }
}

/** Kubernetes prunes null fields; a null list item stays and is refused. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item) ?? null);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]: [string, unknown]) => [key, withoutNulls(item)] as const)
      .filter(([, item]) => item !== undefined),
  );
}

/** Finds the offset of the deepest existing part of `path`. */
function findOffset(document: Document.Parsed | Document, path: FieldPath, part: 'key' | 'value'): number {
  let node: Node | undefined = document.contents ?? undefined;
  let offset = startOf(node);
  for (const [depth, segment] of path.entries()) {
    const child = childOf(resolve(node, document), segment);
    if (!child) return offset;
    const wantsKey = part === 'key' && depth === path.length - 1;
    offset = startOf(wantsKey ? child.key : child.value) || startOf(child.key) || offset;
    node = child.value;
  }
  return offset;
}

function findScalar(document: ParsedDocument, path: FieldPath): Scalar | undefined {
  let node: Node | undefined = document.contents ?? undefined;
  for (const segment of path) node = childOf(resolve(node, document), segment)?.value;
  const scalar = resolve(node, document);
  return isScalar(scalar) ? scalar : undefined;
}

const resolve = (node: Node | undefined, document: ParsedDocument): Node | undefined =>
  isAlias(node) ? node.resolve(document) : node;

const startOf = (node: Node | undefined): number => node?.range?.[0] ?? 0;

interface Child {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

function childOf(node: Node | undefined, segment: string | number): Child | undefined {
  if (isSeq(node) && typeof segment === 'number') {
    const item = node.items[segment];
    return isNode(item) ? { key: item, value: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  // If a key is duplicated, the last value counts.
  const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === `${segment}`);
  if (!pair) return undefined;
  return {
    key: isNode(pair.key) ? pair.key : undefined,
    value: isNode(pair.value) ? pair.value : undefined,
  };
}
