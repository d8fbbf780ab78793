import { isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import { type FieldPath, quoteUnlessName } from '../finding.ts';
import type { ManifestObject } from '../manifests/manifest-object.ts';
import { createFault, type Fault } from '../runtime-validation/fault.ts';
import { isRecord } from '../schema/schema.ts';

/** Finds duplicates, of which kubectl silently uses the last. */

/** Finds an object that an earlier document contains already. The object is added to `seen`. */
export function findRepeatedObject(written: ManifestObject, observed: Set<string>): readonly Fault[] {
  const { metadata } = written.value;
  if (!isRecord(metadata) || typeof metadata.name !== 'string') return [];
  const id = JSON.stringify([written.apiVersion, written.kind, metadata.namespace, metadata.name]);
  if (!observed.has(id)) {
    observed.add(id);
    return [];
  }
  return [
    createFault(
      'duplicate-object',
      ['metadata', 'name'],
      `${written.kind} ${quoteUnlessName(metadata.name)} stands in these files before: this one replaces it`,
      'rename it, or take one out',
    ),
  ];
}

/** Finds keys that a map of the object has twice. */
export const findRepeatedKeys = ({ document, at }: ManifestObject): readonly Fault[] =>
  repeatedPaths(nodeAt(document.root.contents, at), []).map((path) =>
    createFault(
      'duplicate-key',
      path,
      `${quoteUnlessName(`${path.at(-1) ?? ''}`)} is there twice: the last one counts`,
      'take one out',
    ),
  );

type Content = Node | null | undefined;

const asNode = (value: unknown): Content => (isNode(value) ? value : undefined);

function nodeAt(node: Content, path: FieldPath): Content {
  const [first, ...rest] = path;
  if (first === undefined) return node;
  return isMap(node) || isSeq(node) ? nodeAt(asNode(node.get(first, true)), rest) : undefined;
}

function repeatedPaths(node: Content, path: FieldPath): readonly FieldPath[] {
  if (isSeq(node)) {
    return node.items.flatMap((item, index) => repeatedPaths(asNode(item), [...path, index]));
  }
  if (!isMap(node)) return [];
  const keys = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
  return node.items.flatMap(({ value }, index) => {
    const key = keys[index] ?? '';
    const below = [...path, key];
    const isAgain = key !== '<<' && keys.indexOf(key) < index;
    return [...(isAgain ? [below] : []), ...repeatedPaths(asNode(value), below)];
  });
}
