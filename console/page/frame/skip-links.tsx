import { Button } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import styles from './skip-links.module.css';

const TARGETS = [
  { id: 'main', text: 'Skip to the screen' },
  { id: 'side', text: 'Skip to the events' },
] as const;

/** Jumps over the top bar and the vitals; visible while it has the focus. The URL stays as it is. */
export function SkipLinks() {
  return (
    <nav className={cx(styles.links)} aria-label="Skip">
      {TARGETS.map(({ id, text }) => (
        <Button key={id} className={cx(controls.button)} onPress={() => document.getElementById(id)?.focus()}>
          {text}
        </Button>
      ))}
    </nav>
  );
}
