import { formatDuration } from '../../format.ts';
import type { Note } from '../../views.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';

/** "ready in about 22 s": the text comes from the server, the page counts the seconds down. */
export function NoteText({ note }: { readonly note: Note }) {
  return note.until === undefined ? note.text : <Countdown text={note.text} until={note.until} />;
}

function Countdown({ text, until }: { readonly text: string; readonly until: number }) {
  const now = useClusterNow();
  const left = Math.max(0, Math.ceil((until - now) / 1000) * 1000);
  return [text, left === 0 ? 'a moment' : formatDuration(left)].filter(Boolean).join(' ');
}
