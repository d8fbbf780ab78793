import { useEffect, useMemo, useState } from 'react';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { formatTime } from '../../format.ts';
import type { DecisionView } from '../../views.ts';
import { cx } from '../class-names.ts';
import { LinkedText, ObjectLink } from '../controls/linked-text.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { EventIcon } from '../feed/event-icon.tsx';
import { getDecisions, getState } from '../store/api.ts';
import { type ClusterModel, createClusterModel } from '../store/cluster-model.ts';
import { useUi } from '../ui/ui-context.ts';
import { compareModels } from './compare.ts';
import styles from './timeline.module.css';

const COMPARED = [
  { value: 'before', text: 'moment before' },
  { value: 'now', text: 'now' },
] as const;
/** Effects of a decision show within this time. */
const AFTER_MS = MINUTE_MS;
const MAX_EVENTS = 12;
const MAX_NAMED = 8;

/** Explains a moment: what changed, and what came of it. */
export function HappenedPanel({ at }: { readonly at: number }) {
  const { compare, setCompare } = useUi();
  const sides = useSides(at, compare);
  const events = useMemo(() => {
    const all = sides?.after.events ?? [];
    return all.filter((event) => event.at >= at - SECOND_MS).slice(0, MAX_EVENTS);
  }, [sides, at]);

  return (
    <section className={cx(styles.panel)} data-testid="happened-panel" aria-label="What happened">
      <h2>What happened at {formatTime(at)}?</h2>
      <Segmented
        label="Compare with"
        options={COMPARED}
        value={compare}
        onChange={setCompare}
        testId="compare"
      />
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

interface Side {
  readonly at: number;
  readonly model: ClusterModel;
}

interface Sides {
  readonly before: ClusterModel;
  readonly after: ClusterModel;
  readonly from: number;
  readonly to: number;
  /** Those that launched, removed or replaced nodes within a minute. */
  readonly decisions: readonly DecisionView[];
}

function Compared({ before, after, from, to }: Sides) {
  const { rows, added, gone, moved } = useMemo(() => compareModels(before, after), [before, after]);
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

/** Reads both moments: the one before and a minute after, or the moment itself and now. */
function useSides(at: number, compare: 'before' | 'now'): Sides | undefined {
  const [sides, setSides] = useState<Sides>();
  useEffect(() => {
    let isOpen = true;
    const [from, to] = compare === 'before' ? [at - SECOND_MS, at + AFTER_MS] : [at, undefined];
    const timer = setTimeout(() => {
      const decided = getDecisions(at - SECOND_MS, at + AFTER_MS);
      void Promise.all([readSide(from), readSide(to), decided]).then(
        ([before, after, decisions]) => {
          if (!isOpen || !before || !after) return;
          setSides({
            ...{ before: before.model, after: after.model },
            ...{ from: before.at, to: after.at },
            decisions: decisions.filter(({ acts }) => acts),
          });
        },
        // Without a connection the last comparison stays.
        () => undefined,
      );
    }, REST_MS);
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, [at, compare]);
  return sides;
}

/** While the playhead is dragged, nothing is read. */
const REST_MS = 120;

async function readSide(at: number | undefined): Promise<Side | undefined> {
  const keyframe = await getState(at);
  return keyframe && { at: keyframe.clock.now, model: createClusterModel(keyframe) };
}
