import { useCallback, useState } from 'react';
import { Button } from 'react-aria-components';
import { formatCount, formatTime } from '../../format.ts';
import type { ManifestFault, WhatIfPart, WhatIfRequest, WhatIfRow } from '../../screen-views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { CopyButton } from '../controls/copy-button.tsx';
import { getWhatIfOptions, postWhatIf, type WhatIfAnswer } from '../store/api.ts';
import { useUi } from '../ui/ui-context.ts';
import { usePolled } from '../ui/use-polled.ts';
import { useReady } from '../ui/use-ready.ts';
import styles from './what-if.module.css';
import { WhatIfForm } from './what-if-form.tsx';

/** The workloads and NodePools to choose from; the plan itself is made on the snapshot of its time. */
const OPTIONS_EVERY_MS = 10_000;

/** Tries changes on a copy of the shown snapshot; the cluster stays as it is. */
export function WhatIfScreen() {
  const { at, whatIf } = useUi();
  const options = usePolled(
    useCallback(() => getWhatIfOptions(at), [at]),
    OPTIONS_EVERY_MS,
  );
  const [answer, setAnswer] = useState<WhatIfAnswer>();
  const [isPlanning, setPlanning] = useState(false);
  useReady(options !== undefined);

  const plan = async (request: WhatIfRequest) => {
    setPlanning(true);
    setAnswer(await postWhatIf(request, at).catch(() => NO_CONTACT));
    setPlanning(false);
  };

  return (
    <section className={cx(styles.screen)} aria-label="What-if" data-testid="whatif">
      {options ? (
        <WhatIfForm
          key={`${whatIf.manifests} ${whatIf.fix?.text}`}
          start={whatIf}
          options={options}
          isPlanning={isPlanning}
          onPlan={(request) => void plan(request)}
        />
      ) : (
        <p className={cx(styles.empty)}>Reading the snapshot …</p>
      )}
      <WhatIfResult answer={answer} isPlanning={isPlanning} />
    </section>
  );
}

const NO_CONTACT: WhatIfAnswer = { outcome: 'failed', why: 'No contact with the server.' };

interface WhatIfResultProps {
  readonly answer: WhatIfAnswer | undefined;
  readonly isPlanning: boolean;
}

function WhatIfResult({ answer, isPlanning }: WhatIfResultProps) {
  return (
    <div className={cx(styles.result)} data-testid="whatif-result" aria-busy={isPlanning}>
      <p role="status" className={cx(styles.summary)}>
        {isPlanning ? 'Planning …' : summaryOf(answer)}
      </p>
      {!isPlanning && answer?.outcome === 'refused' && <Faults faults={answer.faults} />}
      {!isPlanning && answer?.outcome === 'planned' && (
        <>
          <Rows rows={answer.rows} />
          {answer.parts.map((part) => (
            <Part key={part.title} {...part} />
          ))}
          <p className={cx(styles.note)}>
            Snapshot of {formatTime(answer.at)}. {answer.notes.join(' ')}
          </p>
          <CopyButton text={answer.markdown} label="Copy as Markdown" testId="whatif-copy" />
        </>
      )}
    </div>
  );
}

function summaryOf(answer: WhatIfAnswer | undefined): string {
  switch (answer?.outcome) {
    case undefined:
      return 'Choose a change, or edit the text of a NodePool, and plan it.';
    case 'planned':
      return answer.summary;
    case 'refused':
      return 'This cannot be planned.';
    case 'failed':
      return answer.why;
  }
}

function Faults({ faults }: { readonly faults: readonly ManifestFault[] }) {
  return (
    <ul className={cx(styles.faults)}>
      {faults.map(({ line, text }) => (
        <li key={`${line} ${text}`}>
          {line !== undefined && <strong>Line {line}</strong>} {text}
        </li>
      ))}
    </ul>
  );
}

function Rows({ rows }: { readonly rows: readonly WhatIfRow[] }) {
  return (
    <table className={cx(styles.rows)}>
      <thead>
        <tr>
          <td />
          <th scope="col">Now</th>
          <th scope="col">Later, unchanged</th>
          <th scope="col">Later, changed</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, now, unchanged, changed }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>{now}</td>
            <td>{unchanged}</td>
            <td data-changed={changed !== unchanged || undefined}>{changed}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SHOWN_LINES = 8;

function Part({ title, lines }: WhatIfPart) {
  const [areAllShown, setAllShown] = useState(false);
  const shown = areAllShown ? lines : lines.slice(0, SHOWN_LINES);
  const rest = lines.length - shown.length;
  return (
    <section className={cx(styles.part)} aria-label={title}>
      <h3>
        {title} <span>{formatCount(lines.length)}</span>
      </h3>
      <ul>
        {shown.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {rest > 0 && (
        <Button className={cx(controls.button)} onPress={() => setAllShown(true)}>
          Show {formatCount(rest)} more
        </Button>
      )}
    </section>
  );
}
