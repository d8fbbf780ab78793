import { useMemo } from 'react';
import { Button } from 'react-aria-components';
import { SECOND_MS } from '../../../shared/model/time.ts';
import { formatTime } from '../../format.ts';
import type { DecisionView } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { LinkedText, ObjectLink } from '../controls/linked-text.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { EventIcon } from '../feed/event-icon.tsx';
import { useUi } from '../ui/ui-context.ts';
import { type Sides, useSides } from './sides.ts';
import styles from './timeline.module.css';

const COMPARED = [
  { value: 'before', text: 'moment before' },
  { value: 'now', text: 'now' },
  { value: 'picked', text: 'picked moment' },
] as const;
const MAX_EVENTS = 12;
const MAX_NAMED = 8;

/** Explains a moment: what changed, and what came of it. */
export function HappenedPanel({ at }: { readonly at: number }) {
  const { compare, setCompare } = useUi();
  const sides = useSides();
  const events = useMemo(() => {
    const all = sides?.events ?? [];
    return all.filter((event) => event.at >= at - SECOND_MS).slice(0, MAX_EVENTS);
  }, [sides, at]);

  return (
    <section className={cx(styles.panel)} data-testid="happened-panel" aria-label="What happened">
      <h2>What happened at {formatTime(at)}?</h2>
      <Segmented
        label="Compare with"
        options={COMPARED}
        value={typeof compare === 'number' ? 'picked' : compare}
        onChange={(choice) => setCompare(choice === 'picked' ? at : choice)}
        testId="compare"
      />
      {typeof compare === 'number' && <Picked at={at} picked={compare} />}
      {sides && <Compared {...sides} />}
      <Decisions decisions={sides?.decisions ?? []} />
      <h3>What came of it</h3>
      {events.length === 0 && <p>Nothing was decided.</p>}
      <ol className={cx(styles.events)}>
        {events.map(({ seq, at: when, kind, tone, text, objects }) => (
          <li key={seq}>
            <time dateTime={new Date(when).toISOString()}>{formatTime(when)}</time>
            <EventIcon kind={kind} tone={tone} />
            <p>
              <LinkedText text={text} objects={objects} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The other moment, which stays while the playhead moves. */
function Picked({ at, picked }: { readonly at: number; readonly picked: number }) {
  const { setAt, setCompare } = useUi();
  if (at === picked) {
    return <p>{formatTime(picked)} is picked. Move the playhead to the moment to compare it with.</p>;
  }
  const swap = () => {
    setCompare(at);
    setAt(picked);
  };
  return (
    <p className={cx(styles.picked)}>
      Compared with {formatTime(picked)}.
      <Button className={cx(controls.button)} onPress={() => setCompare(at)}>
        Pick {formatTime(at)}
      </Button>
      <Button className={cx(controls.button)} onPress={swap}>
        Go to {formatTime(picked)}
      </Button>
    </p>
  );
}

function Decisions({ decisions }: { readonly decisions: readonly DecisionView[] }) {
  if (decisions.length === 0) return null;
  return (
    <>
      <h3>Decisions</h3>
      <ul className={cx(styles.decisions)} data-testid="happened-decisions">
        {decisions.map(({ id, at, text }) => (
          <li key={id}>
            <ObjectLink object={{ kind: 'decision', name: id }} text={formatTime(at)} />: {text}
          </li>
        ))}
      </ul>
    </>
  );
}

function Compared({ from, to, comparison }: Sides) {
  const { rows, added, gone, moved } = comparison;
  return (
    <>
      <table className={cx(styles.table)} data-testid="compared">
        <thead>
          <tr>
            <th scope="col">Vital</th>
            <th scope="col">{formatTime(from)}</th>
            <th scope="col">{formatTime(to)}</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">{row.label}</th>
              <td>{row.before}</td>
              <td>{row.after}</td>
              <td>{row.change ?? 'none'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Named title="New nodes" kind="node" names={added} />
      <Named title="Nodes that went" kind="node" names={gone} />
      <Named title="Pods that moved" kind="pod" names={moved} />
    </>
  );
}

function Named({
  title,
  kind,
  names,
}: {
  readonly title: string;
  readonly kind: 'node' | 'pod';
  readonly names: readonly string[];
}) {
  if (names.length === 0) return null;
  const more = names.length - MAX_NAMED;
  return (
    <div className={cx(styles.named)}>
      <h3>
        {title} ({names.length})
      </h3>
      <ul>
        {names.slice(0, MAX_NAMED).map((name) => (
          <li key={name}>
            <ObjectLink object={{ kind, name }} text={name} />
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </div>
  );
}
