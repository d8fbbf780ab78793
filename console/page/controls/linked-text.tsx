import { Fragment, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { formatDuration } from '../../format.ts';
import type { Note, ObjectRef } from '../../views.ts';
import { cx } from '../class-names.ts';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import styles from './controls.module.css';
import { splitAtObjects } from './split-at-objects.ts';

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
