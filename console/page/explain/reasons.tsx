import type { ReasonRow } from '../../explanation.ts';
import { cx } from '../class-names.ts';
import { ObjectLink } from '../controls/linked-text.tsx';
import styles from './explain.module.css';

export function Reasons({ rows }: { readonly rows: readonly ReasonRow[] }) {
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
