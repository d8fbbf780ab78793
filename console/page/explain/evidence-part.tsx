import type { Evidence } from '../../explanation.ts';
import { cx } from '../class-names.ts';
import { LinkedText } from '../controls/linked-text.tsx';
import styles from './explain.module.css';
import { Funnel } from './funnel.tsx';
import { Offerings } from './offerings.tsx';
import { Phases } from './phases.tsx';
import { Reasons } from './reasons.tsx';
import { Shares } from './shares.tsx';
import { Workloads } from './workloads.tsx';

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
