import { Button } from 'react-aria-components';
import { formatTime, plural } from '../../format.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { LinkedText } from '../controls/linked-text.tsx';
import { useUi } from '../ui/ui-context.ts';
import { type Sides, useSides } from './sides.ts';
import styles from './timeline.module.css';

const MAX_NAMED = 6;

/** The compared moments, while the map marks their difference. */
export function useMarkedSides(): Sides | undefined {
  const { at, compare } = useUi();
  const sides = useSides();
  return at === undefined || compare === 'before' ? undefined : sides;
}

/** How the map differs between two moments; nodes that are only in one of them are named. */
export function DifferenceBar() {
  const { setCompare } = useUi();
  const sides = useMarkedSides();
  if (!sides) return null;
  const { from, to, comparison } = sides;
  const { added, gone, moved, changed } = comparison;
  return (
    <div className={cx(styles.difference)} data-testid="difference">
      <p>
        <strong>
          {formatTime(from)} to {formatTime(to)}
        </strong>{' '}
        {added.length + gone.length + changed.length === 0
          ? 'No node and no pod differs.'
          : `The map outlines the nodes that differ: ${plural(changed.length, 'node')} with other pods, ${plural(moved.length, 'pod')} moved.`}
      </p>
      <Names title="New" names={added} />
      <Names title="Gone" names={gone} />
      <Button className={cx(controls.button)} onPress={() => setCompare('before')}>
        Stop comparing
      </Button>
    </div>
  );
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  const shown = names.slice(0, MAX_NAMED);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return (
    <p>
      {title}:{' '}
      <LinkedText text={`${shown.join(', ')}${more}`} objects={shown.map((name) => ({ kind: 'node', name }))} />
    </p>
  );
}
