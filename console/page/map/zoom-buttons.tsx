import { useEffect } from 'react';
import { Button } from 'react-aria-components';
import { cx, VISUALLY_HIDDEN } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { isHandledElsewhere } from '../keys/handled-elsewhere.ts';
import { useUi } from '../ui/ui-context.ts';
import styles from './cluster-map.module.css';
import { LEVELS, type Level } from './layout/layout.ts';

interface ZoomButtonsProps {
  readonly level: Level;
  /** True if the user chose the level; else the map chooses the nearest at which all nodes fit. */
  readonly isChosen: boolean;
  readonly onChange: (level: Level | undefined) => void;
}

/** Zooms the map, also with the keys + - 0. */
export function ZoomButtons({ level, isChosen, onChange }: ZoomButtonsProps) {
  const index = LEVELS.indexOf(level);
  const { areKeysOn } = useUi();
  const [nearer, farther] = [LEVELS[index - 1], LEVELS[index + 1]];

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!areKeysOn || isHandledElsewhere(event)) return;
      if (event.key === '0') onChange(undefined);
      if (event.key === '+' && nearer) onChange(nearer);
      if (event.key === '-' && farther) onChange(farther);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [areKeysOn, nearer, farther, onChange]);

  return (
    <fieldset className={cx(styles.zoom)} data-testid="zoom">
      <legend className={VISUALLY_HIDDEN}>Zoom</legend>
      <Button
        className={cx(controls.button)}
        aria-label="Zoom out"
        isDisabled={!farther}
        onPress={() => onChange(farther)}
      >
        −
      </Button>
      <Button className={cx(controls.button)} isDisabled={!isChosen} onPress={() => onChange(undefined)}>
        Fit
      </Button>
      <Button
        className={cx(controls.button)}
        aria-label="Zoom in"
        isDisabled={!nearer}
        onPress={() => onChange(nearer)}
      >
        +
      </Button>
    </fieldset>
  );
}
