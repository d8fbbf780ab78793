import { useState } from 'react';
import { Button } from 'react-aria-components';
import { formatTime } from '../../format.ts';
import type { PlannedStep } from '../../timeline-views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { LinkedText } from '../controls/linked-text.tsx';
import styles from './timeline.module.css';

const SHOWN = 6;

/** The planned steps, the earliest first. */
export function PlannedPanel({ planned }: { readonly planned: readonly PlannedStep[] }) {
  const [areAllShown, setAllShown] = useState(false);
  const shown = areAllShown ? planned : planned.slice(0, SHOWN);
  const more = planned.length - shown.length;
  return (
    <section className={cx(styles.planned)} data-testid="planned" aria-label="What comes next">
      <h2>What comes next</h2>
      {planned.length === 0 && <p>Nothing is planned.</p>}
      <ol>
        {shown.map(({ kind, at, text, objects }) => (
          <li key={`${kind} ${text}`}>
            <span>{at === undefined ? 'soon' : formatTime(at)}</span>
            <p>
              <LinkedText text={text} objects={objects} />
            </p>
          </li>
        ))}
      </ol>
      {more > 0 && (
        <Button className={cx(controls.button)} onPress={() => setAllShown(true)}>
          Show {more} more
        </Button>
      )}
    </section>
  );
}
