import { useState } from 'react';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { postPlay } from '../store/api.ts';
import styles from './play.module.css';
import { PlayDialog } from './play-dialog.tsx';

/** Starts the simulation anew; all pages load themselves again when the new one answers. */
export function ResetButton({ seed = 1 }: { readonly seed: number | undefined }) {
  const [text, setText] = useState(`${seed}`);
  const chosen = Number(text);
  return (
    <PlayDialog
      name="reset"
      label="Reset"
      title="Start the simulation anew"
      action="Reset"
      isReady={text !== '' && Number.isInteger(chosen) && chosen >= 0}
      onAct={() => postPlay('reset', { seed: chosen })}
    >
      <label className={cx(controls.field)}>
        <span className={cx(controls.label)}>Seed; equal seeds give equal runs</span>
        <input
          className={cx(styles.number)}
          type="number"
          min={0}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
    </PlayDialog>
  );
}
