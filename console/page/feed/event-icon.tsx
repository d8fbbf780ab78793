import type { EventTone } from '../../views.ts';
import { cx } from '../class-names.ts';
import styles from './feed.module.css';

/** A shape per kind of event; the colour only repeats it. */
export function EventIcon({ kind, tone }: { readonly kind: string; readonly tone: EventTone }) {
  return (
    <svg className={cx(styles.icon)} data-tone={tone} width="13" height="13" viewBox="0 0 14 14" aria-hidden="true">
      <path d={SHAPES[kind] ?? DOT} />
    </svg>
  );
}

const CIRCLE = 'M7 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z';
const PLUS = `${CIRCLE}M7 4.5v5M4.5 7h5`;
const MINUS = `${CIRCLE}M4.5 7h5`;
const CHECK = `${CIRCLE}M4.6 7.2l1.7 1.7 3.2-3.6`;
const BARRED = `${CIRCLE}M3.2 3.2l7.6 7.6`;
const BOLT = 'M8 1.5 3.5 8H7l-1 4.5L10.5 6H7Z';
const SWAP = 'M2 5h9L8.5 2.5M12 9H3l2.5 2.5';
const PERSON = 'M7 7a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM2.5 12.5a4.5 4.5 0 0 1 9 0';
const DOT = 'M7 5.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z';

const SHAPES: Readonly<Record<string, string>> = {
  launch: PLUS,
  placed: CHECK,
  ready: CHECK,
  unplaced: BARRED,
  interruption: BOLT,
  rebalance: BOLT,
  unavailable: BARRED,
  draining: SWAP,
  replace: SWAP,
  remove: MINUS,
  'remove-empty': MINUS,
  'eviction-refused': BARRED,
  'eviction-failed': BARRED,
  'drain-stuck': BARRED,
  expired: SWAP,
  'not-registered': BARRED,
  'node-missing': BARRED,
  terminated: MINUS,
  you: PERSON,
};
