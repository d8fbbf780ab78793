import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import type { FieldPath } from './finding.ts';

/** Offset in the text of the deepest part of `path` that is there. */
export function offsetOf(
  document: Document.Parsed | Document,
  path: FieldPath,
  part: 'key' | 'value',
): number {
  let node: Node | undefined = document.contents ?? undefined;
  let offset = startOf(node);
  for (const [depth, segment] of path.entries()) {
    const container = isAlias(node) ? node.resolve(document) : node;
    const child = childOf(container, segment);
    if (!child) return offset;
    const wantsKey = part === 'key' && depth === path.length - 1;
    offset = startOf(wantsKey ? child.key : child.value) || startOf(child.key) || offset;
    node = child.value;
  }
  return offset;
}

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
  // A key that is given twice keeps its last value.
  const pair = node.items.findLast(
    ({ key }) => isScalar(key) && String(key.value) === `${segment}`,
  );
  if (!pair) return undefined;
  return {
    key: isNode(pair.key) ? pair.key : undefined,
    value: isNode(pair.value) ? pair.value : undefined,
  };
}
