/**
 * Values that rows refer to by their index, so that ten thousand pods of one Deployment store its
 * pod spec once.
 */
export interface ValueTable {
  /** The number of values, including those of the base. */
  size(): number;
  /** Returns the index of the value. A value that is new is added; equal values have one index. */
  indexOf(value: object): number;
  /** Returns the index if the table has the value. */
  findObject(value: object): number | undefined;
  /** Returns the index if the table has a value with this JSON. */
  findText(text: string): number | undefined;
  /** The values that the base does not have, as JSON, without brackets. */
  toJson(): string;
}

/** @param base - a table that does not change any more; this one continues its numbers */
export function createValueTable(base?: ValueTable): ValueTable {
  const indexByText = new Map<string, number>();
  // Most values are shared objects: they are serialised once.
  const indexByObject = new WeakMap<object, number>();
  const first = base?.size() ?? 0;

  const findText = (text: string): number | undefined => indexByText.get(text) ?? base?.findText(text);

  const findObject = (value: object): number | undefined => indexByObject.get(value) ?? base?.findObject(value);

  function addText(text: string): number {
    const index = first + indexByText.size;
    indexByText.set(text, index);
    return index;
  }

  return {
    size: () => first + indexByText.size,
    indexOf(value) {
      const existing = findObject(value);
      if (existing !== undefined) return existing;
      const text = JSON.stringify(value);
      const index = findText(text) ?? addText(text);
      indexByObject.set(value, index);
      return index;
    },
    findObject,
    findText,
    toJson: () => [...indexByText.keys()].join(','),
  };
}
