import { Fragment, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { formatDuration } from '../../format.ts';
import type { Note, ObjectRef } from '../../views.ts';
import { cx } from '../class-names.ts';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import styles from './controls.module.css';

interface LinkedTextProps {
  readonly text: string;
  /** Those in the text that the page can open. */
  readonly objects: readonly ObjectRef[];
}

/** A sentence whose objects are links to their explanations. */
export function LinkedText({ text, objects }: LinkedTextProps): ReactNode {
  return splitAtObjects(text, objects).map(({ at, part, object }) =>
    object ? <ObjectLink key={at} object={object} text={part} /> : <Fragment key={at}>{part}</Fragment>,
  );
}

export function ObjectLink({ object, text }: { readonly object: ObjectRef; readonly text: string }) {
  const { select } = useUi();
  return (
    <Button className={cx(styles.link)} onPress={() => select(object)}>
      {text}
    </Button>
  );
}

/** "ready in about 22 s": the text comes from the server, the page counts the seconds down. */
export function NoteText({ note }: { readonly note: Note }) {
  return note.until === undefined ? note.text : <Countdown text={note.text} until={note.until} />;
}

function Countdown({ text, until }: { readonly text: string; readonly until: number }) {
  const now = useClusterNow();
  const remainingMs = Math.max(0, Math.ceil((until - now) / 1000) * 1000);
  return [text, remainingMs === 0 ? 'a moment' : formatDuration(remainingMs)].filter(Boolean).join(' ');
}

interface Part {
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
