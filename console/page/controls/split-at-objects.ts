import type { ObjectRef } from '../../views.ts';

export interface Part {
  /** Offset of the part in the text. */
  readonly at: number;
  readonly part: string;
  readonly object?: ObjectRef;
}

/** Splits a text at whole names of objects: `web-1` is not found in `web-10`, nor `batch` in `workload=batch`. */
export function splitAtObjects(text: string, objects: readonly ObjectRef[]): Part[] {
  const parts: Part[] = [];
  let done = 0;
  for (const { at, object } of placesOf(text, objects)) {
    if (at < done) continue;
    if (at > done) parts.push({ at: done, part: text.slice(done, at) });
    parts.push({ at, part: object.name, object });
    done = at + object.name.length;
  }
  if (done < text.length) parts.push({ at: done, part: text.slice(done) });
  return parts;
}

function placesOf(text: string, objects: readonly ObjectRef[]) {
  const mentions = objects.flatMap((object) => {
    const at = wholeWordAt(text, object.name);
    return at < 0 ? [] : [{ at, object }];
  });
  return mentions.toSorted((a, b) => a.at - b.at || b.object.name.length - a.object.name.length);
}

function wholeWordAt(text: string, name: string): number {
  const isPartOfName = (letter: string | undefined) => letter !== undefined && /[a-z0-9/=-]/.test(letter);
  let at = text.indexOf(name);
  while (at >= 0) {
    if (!isPartOfName(text[at - 1]) && !isPartOfName(text[at + name.length])) return at;
    at = text.indexOf(name, at + 1);
  }
  return -1;
}
