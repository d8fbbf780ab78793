import { HOURS_PER_MONTH } from '../../../shared/model/time.ts';
import type {
  Evidence,
  FunnelRow,
  OfferingRow,
  PhaseRow,
  ReasonRow,
  ShareRow,
  WorkloadRow,
} from '../../explanation.ts';
import {
  formatCount,
  formatCpu,
  formatDuration,
  formatMemory,
  formatMonthlyUsd,
  formatNodeUsd,
  formatPercent,
  formatTime,
} from '../../format.ts';
import { cx } from '../class-names.ts';
import { CapacityGlyph } from '../controls/capacity-glyph.tsx';
import { LinkedText, ObjectLink } from '../controls/linked-text.tsx';
import { NamespaceTile } from '../controls/namespace-tile.tsx';
import styles from './explain.module.css';

export function EvidencePart({ part }: { readonly part: Evidence }) {
  return (
    <section className={cx(styles.part)}>
      <h3>{part.title}</h3>
      <PartBody part={part} />
    </section>
  );
}

function PartBody({ part }: { readonly part: Evidence }) {
  switch (part.kind) {
    case 'text':
      return part.sentences.map((sentence) => (
        <p key={sentence.text}>
          <LinkedText {...sentence} />
        </p>
      ));
    case 'funnel':
      return <Funnel rows={part.rows} />;
    case 'reasons':
      return <Reasons rows={part.rows} />;
    case 'phases':
      return <Phases rows={part.rows} />;
    case 'workloads':
      return <Workloads rows={part.rows} />;
    case 'shares':
      return <Shares rows={part.rows} />;
    case 'offerings':
      return <Offerings rows={part.rows} />;
  }
}

function Reasons({ rows }: { readonly rows: readonly ReasonRow[] }) {
  return (
    <dl className={cx(styles.reasons)}>
      {rows.map(({ subject, object, texts }) => (
        <div key={subject}>
          <dt>{object ? <ObjectLink object={object} text={subject} /> : subject}</dt>
          {texts.map((text) => (
            <dd key={text}>{text}</dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

/** A bar divided into shares; the last part is unrequested. */
function Shares({ rows }: { readonly rows: readonly ShareRow[] }) {
  return (
    <>
      <div className={cx(styles.split)} aria-hidden="true">
        {rows.map(({ label, share }, index) => (
          <i key={label} data-part={index} style={{ flexGrow: Math.max(0.0001, share) }} />
        ))}
      </div>
      <ul className={cx(styles.shares)}>
        {rows.map(({ label, share, hourlyUsd }) => (
          <li key={label}>
            {label} {formatPercent(share)}
            {hourlyUsd !== undefined && <span>{formatNodeUsd(hourlyUsd)}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Phases with their times; future phases are hollow. */
function Phases({ rows }: { readonly rows: readonly PhaseRow[] }) {
  return (
    <ol className={cx(styles.phases)}>
      {rows.map(({ label, at }, index) => {
        const before = rows.slice(0, index).findLast((row) => row.at !== undefined)?.at;
        return (
          <li key={label} data-done={at !== undefined}>
            <span>{label}</span>
            <span className={cx(styles.time)}>{at === undefined ? '' : formatTime(at)}</span>
            <span className={cx(styles.took)}>
              {at !== undefined && before !== undefined && at > before && `+${formatDuration(at - before)}`}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** Remaining offerings after each condition, on a logarithmic scale. */
function Funnel({ rows }: { readonly rows: readonly FunnelRow[] }) {
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

function Offerings({ rows }: { readonly rows: readonly OfferingRow[] }) {
  return (
    <table className={cx(styles.table)}>
      <thead>
        <tr>
          <th scope="col">Offering</th>
          <th scope="col">Zone</th>
          <th scope="col" className={cx(styles.number)}>
            Per hour
          </th>
          <th scope="col" className={cx(styles.number)}>
            Per month
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ text, capacityType, zone, hourlyUsd }) => (
          <tr key={`${text} ${capacityType} ${zone}`}>
            <th scope="row">
              <CapacityGlyph capacityType={capacityType} /> {text}{' '}
              <span className={cx(styles.unbroken)}>{capacityType}</span>
            </th>
            <td>{zone}</td>
            <td className={cx(styles.number)}>{formatNodeUsd(hourlyUsd)}</td>
            <td className={cx(styles.number)}>{formatMonthlyUsd(hourlyUsd * HOURS_PER_MONTH)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Workloads({ rows }: { readonly rows: readonly WorkloadRow[] }) {
  return (
    <table className={cx(styles.table)}>
      <thead>
        <tr>
          <th scope="col">Workload</th>
          <th scope="col" className={cx(styles.number)}>
            Pods
          </th>
          <th scope="col" className={cx(styles.number)}>
            CPU
          </th>
          <th scope="col" className={cx(styles.number)}>
            Memory
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ namespace, workload, pods, cpuMilli, memoryMib }) => (
          <tr key={`${namespace}/${workload}`}>
            <th scope="row">
              <NamespaceTile namespace={namespace} /> {namespace}/{workload}
            </th>
            <td className={cx(styles.number)}>{formatCount(pods)}</td>
            <td className={cx(styles.number)}>{formatCpu(cpuMilli)}</td>
            <td className={cx(styles.number)}>{formatMemory(memoryMib)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
