import { useCallback, useState } from 'react';
import { Button } from 'react-aria-components';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { formatDuration, formatMinute, formatTime, plural } from '../../format.ts';
import type { PlannedStep, TimelineView } from '../../timeline-views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { LinkedText } from '../controls/linked-text.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { CurveTable } from '../dock/curve-table.tsx';
import { getTimeline } from '../store/api.ts';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { usePolled } from '../ui/use-polled.ts';
import { describeChurn } from './describe-churn.ts';
import styles from './timeline.module.css';
import { TimelineCanvas } from './timeline-canvas.tsx';
import { useJump } from './use-jump.ts';

const WINDOWS = [
  { value: '15', text: '15 min', ms: 15 * MINUTE_MS },
  { value: '60', text: '1 h', ms: HOUR_MS },
  { value: '180', text: '3 h', ms: 3 * HOUR_MS },
  { value: '1440', text: '1 day', ms: 24 * HOUR_MS },
] as const;
type WindowChoice = (typeof WINDOWS)[number]['value'];

/** The cost curve above the lives of the nodes, with a playhead. */
export function TimelineScreen() {
  const { at, setAt, setScreen } = useUi();
  const [choice, setChoice] = useState<WindowChoice>('60');
  const windowMs = WINDOWS.find(({ value }) => value === choice)?.ms ?? HOUR_MS;
  const view = useTimeline(windowMs);
  const jump = useJump();
  const isRestored = usePage(({ model }) => model !== undefined);

  if (!view || !isRestored) return <p className={cx(styles.empty)}>Reading the history …</p>;
  return (
    <section className={cx(styles.screen)} aria-label="Timeline">
      <div className={cx(styles.head)}>
        <h2>
          {formatMinute(view.from)} to {formatMinute(view.to)}
        </h2>
        <Segmented label="Window" options={WINDOWS} value={choice} onChange={setChoice} />
        <p className={cx(styles.summary)}>
          {plural(view.nodes.length, 'node')} lived here, {plural(view.series.marks.length, 'action')}
        </p>
        <p className={cx(styles.summary)} data-testid="churn">
          {describeChurn(view.churn)}
        </p>
      </div>
      <TimelineCanvas view={view} at={at} onScrub={setAt} />
      {at === undefined && <PlannedPanel planned={view.planned} />}
      <CurveTable points={view.series.points} />
      <div className={cx(styles.foot)} data-testid="playhead">
        <Button className={cx(controls.button)} onPress={() => jump('earlier')}>
          ‹ Action
        </Button>
        <Button className={cx(controls.button)} onPress={() => jump('later')}>
          Action ›
        </Button>
        <strong>{at === undefined ? formatTime(view.now) : formatTime(at)}</strong>
        <span>{at === undefined ? 'now' : `${formatDuration(view.now - at)} before now`}</span>
        {at !== undefined && (
          <span className={cx(styles.end)}>
            <Button className={cx(controls.button)} onPress={() => setScreen('cluster')}>
              Show on the map
            </Button>
            <Button className={cx(controls.button)} onPress={() => setAt(undefined)}>
              Back to live (L)
            </Button>
          </span>
        )}
      </div>
    </section>
  );
}

/** The history of the last `windowMs`, read again while the page is open. */
const useTimeline = (windowMs: number): TimelineView | undefined =>
  usePolled(useCallback(() => getTimeline(windowMs), [windowMs]));

const SHOWN = 6;

/** The planned steps, the earliest first. */
function PlannedPanel({ planned }: { readonly planned: readonly PlannedStep[] }) {
  const [areAllShown, setAllShown] = useState(false);
  const shown = areAllShown ? planned : planned.slice(0, SHOWN);
  const more = planned.length - shown.length;
  return (
    <section className={cx(styles.planned)} data-testid="planned" aria-label="What comes next">
      <h2>What comes next</h2>
      {planned.length === 0 && <p>Nothing is planned.</p>}
      <ol>
        {shown.map(({ kind, at, text, objects }) => (
          <li key={`${kind} ${text}`}>
            <span>{at === undefined ? 'soon' : formatTime(at)}</span>
            <p>
              <LinkedText text={text} objects={objects} />
            </p>
          </li>
        ))}
      </ol>
      {more > 0 && (
        <Button className={cx(controls.button)} onPress={() => setAllShown(true)}>
          Show {more} more
        </Button>
      )}
    </section>
  );
}
