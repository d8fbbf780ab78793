import { formatCount, formatDuration, formatPercent, formatTime, shortenTimes } from '../../format.ts';
import type { ExplanationView } from '../../screen-views.ts';
import type { ObjectRef } from '../../views.ts';
import { cx } from '../class-names.ts';
import { LinkedText } from '../controls/linked-text.tsx';
import styles from './explain.module.css';

interface Line {
  readonly label: string;
  readonly text: string;
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly objects: readonly ObjectRef[];
}

/** Texts with their labels. */
export function Lines({ lines, objects }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    <dl className={cx(styles.lines)}>
      {lines.map(({ label, text }) => (
        <div key={`${label} ${text}`}>
          {label !== '' && (
            <dt>
              <LinkedText text={label} objects={objects} />
            </dt>
          )}
          <dd>
            <LinkedText text={shortenTimes(text)} objects={objects} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Evidence = ExplanationView['evidence'][number];
type Figures = NonNullable<Evidence['figures']>;
type Rows<Kind extends Figures['kind']> = Extract<Figures, { readonly kind: Kind }>['rows'];

/** Evidence that is drawn. */
export function Drawing({ label, figures }: { readonly label: string; readonly figures: Figures }) {
  return (
    <section className={cx(styles.part)}>
      <h3>{label}</h3>
      <FiguresBody figures={figures} />
    </section>
  );
}

function FiguresBody({ figures }: { readonly figures: Figures }) {
  switch (figures.kind) {
    case 'funnel':
      return <Funnel rows={figures.rows} />;
    case 'phases':
      return <Phases rows={figures.rows} />;
    case 'shares':
      return <Shares rows={figures.rows} />;
  }
}

/** A bar divided into shares; the last part is unrequested. */
function Shares({ rows }: { readonly rows: Rows<'shares'> }) {
  return (
    <>
      <div className={cx(styles.split)} aria-hidden="true">
        {rows.map(({ label, share }, index) => (
          <i key={label} data-part={index} style={{ flexGrow: Math.max(0.0001, share) }} />
        ))}
      </div>
      <ul className={cx(styles.shares)}>
        {rows.map(({ label, share }) => (
          <li key={label}>
            {label} {formatPercent(share)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Phases with their times. */
function Phases({ rows }: { readonly rows: Rows<'phases'> }) {
  return (
    <ol className={cx(styles.phases)}>
      {rows.map(({ label, at }, index) => {
        const before = rows[index - 1]?.at ?? at;
        return (
          <li key={label}>
            <span>{label}</span>
            <span className={cx(styles.time)}>{formatTime(at)}</span>
            <span className={cx(styles.took)}>{at > before && `+${formatDuration(at - before)}`}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** Remaining offerings after each condition, on a logarithmic scale. */
function Funnel({ rows }: { readonly rows: Rows<'funnel'> }) {
  const maxCount = Math.max(1, ...rows.map(({ count }) => count));
  const width = (count: number) => (count === 0 ? 0 : Math.log(count + 1) / Math.log(maxCount + 1));
  const lastIndex = rows.findIndex(({ count }) => count === 0);
  return (
    <table className={cx(styles.table)}>
      <tbody>
        {rows.map(({ label, count }, index) => (
          <tr key={label} data-cause={index === lastIndex}>
            <th scope="row">{label}</th>
            <td className={cx(styles.barCell)} aria-hidden="true">
              <i style={{ width: `max(2px, ${width(count) * 100}%)` }} />
            </td>
            <td className={cx(styles.number)}>{formatCount(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
