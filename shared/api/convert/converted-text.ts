import { Document, isMap, isNode, isScalar, isSeq, type Node, type Pair } from 'yaml';
import type { FieldPath } from '../finding.ts';
import { kubectlTags } from '../manifests/yaml-tags.ts';
import type { ConvertedObject } from './convert-manifests.ts';

/** Formats the objects as documents of one YAML stream, with the comments of their sources. */
export const manifestsYaml = (objects: readonly ConvertedObject[]): string => objects.map(yamlOf).join('---\n');

function yamlOf({ object, source, isUnchanged }: ConvertedObject): string {
  if (isUnchanged && source.at.length === 0) return writtenText(source);
  const document = new Document<Node>(object, {
    aliasDuplicateObjects: false,
    // Quotes words that kubectl would read as booleans or numbers.
    version: '1.1',
    customTags: kubectlTags,
  });
  const { root } = source.document;
  // An object in a list has no document of its own.
  if (source.at.length === 0) carryComments(root, document, source.kind);
  return document.toString({ lineWidth: 0 });
}

/** Returns a document as its author wrote it. */
const writtenText = ({ document: { text } }: ConvertedObject['source']): string => {
  const written = text.replace(/^---[^\S\n]*\n?/, '').replace(/\n\.\.\.\s*$/, '\n');
  return written.endsWith('\n') ? written : `${written}\n`;
};

/** Formats the objects as one List, which kubectl can apply. */
export const manifestsJson = (objects: readonly ConvertedObject[]): string =>
  `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects.map(({ object }) => object) }, undefined, 2)}\n`;

/** Where the fields of old kinds are in the new kinds. */
type Move = readonly [from: FieldPath, to: FieldPath];

const MOVES: Readonly<Partial<Record<string, readonly Move[]>>> = {
  Provisioner: [
    [
      ['spec', 'labels'],
      ['spec', 'template', 'metadata', 'labels'],
    ],
    [
      ['spec', 'annotations'],
      ['spec', 'template', 'metadata', 'annotations'],
    ],
    [
      ['spec', 'requirements'],
      ['spec', 'template', 'spec', 'requirements'],
    ],
    [
      ['spec', 'taints'],
      ['spec', 'template', 'spec', 'taints'],
    ],
    [
      ['spec', 'startupTaints'],
      ['spec', 'template', 'spec', 'startupTaints'],
    ],
    [
      ['spec', 'providerRef'],
      ['spec', 'template', 'spec', 'nodeClassRef'],
    ],
    [
      ['spec', 'limits', 'resources'],
      ['spec', 'limits'],
    ],
    [
      ['spec', 'ttlSecondsUntilExpired'],
      ['spec', 'template', 'spec', 'expireAfter'],
    ],
    [
      ['spec', 'ttlSecondsAfterEmpty'],
      ['spec', 'disruption', 'consolidateAfter'],
    ],
    [
      ['spec', 'consolidation'],
      ['spec', 'disruption'],
    ],
  ],
  NodePool: [
    [
      ['spec', 'disruption', 'expireAfter'],
      ['spec', 'template', 'spec', 'expireAfter'],
    ],
  ],
  AWSNodeTemplate: [
    [
      ['spec', 'subnetSelector'],
      ['spec', 'subnetSelectorTerms'],
    ],
    [
      ['spec', 'securityGroupSelector'],
      ['spec', 'securityGroupSelectorTerms'],
    ],
    [
      ['spec', 'amiSelector'],
      ['spec', 'amiSelectorTerms'],
    ],
  ],
};

/**
 * Moves the comments of the old text to the new places of their fields. Comments on dropped fields
 * are lost.
 */
function carryComments(from: Document.Parsed | Document, to: Document, kind: string): void {
  if (from.commentBefore) to.commentBefore = from.commentBefore;
  if (from.comment) to.comment = from.comment;
  // A comment between `---` and the first field.
  const first = isMap(to.contents) ? to.contents.items[0] : undefined;
  const above = from.contents?.commentBefore;
  if (above && isNode(first?.key)) first.key.commentBefore = above;
  for (const { path, before, beside } of commentsIn(from.contents)) {
    const target = placeAt(to, movedPath(path, MOVES[kind] ?? []));
    if (target) attach(target, before, beside);
  }
}

interface Comment {
  readonly path: FieldPath;
  /** A comment on lines of its own. */
  readonly before?: string | undefined;
  /** A comment at the end of the field's line. */
  readonly beside?: string | undefined;
}

/** Lists every comment with its field. */
function commentsIn(node: unknown, at: FieldPath = []): readonly Comment[] {
  if (isMap(node)) {
    return node.items.flatMap((pair, index) => {
      const { key, value } = locationOf(pair);
      const path = [...at, nameOf(pair)];
      // The parser attaches a comment before the first field to the whole map.
      const first = index === 0 && at.length > 0 ? node.commentBefore : undefined;
      const before = key?.commentBefore ?? first ?? undefined;
      const beside = value?.comment ?? undefined;
      return [...(before || beside ? [{ path, before, beside }] : []), ...commentsIn(value, path)];
    });
  }
  if (!isSeq(node)) return [];
  return node.items.flatMap((item, index) => {
    if (!isNode(item)) return [];
    const path = [...at, index];
    const before = (index === 0 ? node.commentBefore : undefined) ?? ownCommentOf(item);
    const beside = item.comment ?? undefined;
    return [...(before || beside ? [{ path, before, beside }] : []), ...commentsIn(item, path)];
  });
}

/** The comment of a map is attached to its first field. */
const ownCommentOf = (item: Node): string | undefined => (isMap(item) ? undefined : (item.commentBefore ?? undefined));

function movedPath(path: FieldPath, moves: readonly Move[]): FieldPath {
  const move = moves.find(([from]) => from.every((segment, index) => path[index] === segment));
  return move ? [...move[1], ...path.slice(move[0].length)] : path;
}

interface Location {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

function attach({ key, value }: Location, before = '', beside = ''): void {
  const isShort = isScalar(value);
  // A map or list starts on the next line, so its comment moves to the line above.
  const above = [before, isShort ? '' : beside].filter((text) => text !== '').join('\n');
  const top = key ?? value;
  if (top && above !== '') top.commentBefore = above;
  if (isShort && beside !== '') value.comment = beside;
}

const locationOf = ({ key, value }: Pair): Location => ({
  key: isNode(key) ? key : undefined,
  value: isNode(value) ? value : undefined,
});

const nameOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : '');

function placeAt(document: Document, path: FieldPath): Location | undefined {
  let location: Location | undefined;
  let node: unknown = document.contents;
  for (const segment of path) {
    location = childOf(node, segment);
    if (!location) return undefined;
    node = location.value;
  }
  return location;
}

function childOf(node: unknown, segment: string | number): Location | undefined {
  if (isSeq(node) && typeof segment === 'number') {
    const item = node.items[segment];
    return isNode(item) ? { key: undefined, value: item } : undefined;
  }
  const pair = isMap(node) ? node.items.find((one) => nameOf(one) === `${segment}`) : undefined;
  return pair && locationOf(pair);
}
