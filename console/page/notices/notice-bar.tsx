import { useState } from 'react';
import { Button } from 'react-aria-components';
import { HOURS_PER_MONTH } from '../../../shared/model/time.ts';
import { formatMonthlyUsd, formatUsd } from '../../format.ts';
import type { ProposalView } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { LinkedText } from '../controls/linked-text.tsx';
import { usePage } from '../store/use-page.ts';
import styles from './notice-bar.module.css';

const MAX_NOTICES = 2;
const NONE: readonly string[] = [];

/** Notices about unknown facts, and the proposal of the planner; absent if there are none. */
export function NoticeBar() {
  const notices = usePage(({ model }) => model?.notices ?? NONE);
  const proposal = usePage(({ model }) => model?.proposal);
  const [areAllShown, setAllShown] = useState(false);
  if (notices.length === 0 && !proposal) return null;
  const shown = areAllShown ? notices : notices.slice(0, MAX_NOTICES);
  const more = notices.length - shown.length;
  return (
    <div className={cx(styles.bar)}>
      {proposal && <Proposal {...proposal} />}
      {notices.length > 0 && (
        <ul className={cx(styles.notices)} data-testid="notices" aria-label="Notices">
          {shown.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
          {more > 0 && (
            <li>
              <Button className={cx(controls.link)} onPress={() => setAllShown(true)}>
                {more} more notices
              </Button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

const MAX_LINKED = 6;

function Proposal({ text, nodes, savingHourlyUsd }: ProposalView) {
  const objects = nodes.slice(0, MAX_LINKED).map((name) => ({ kind: 'node' as const, name }));
  const named = objects.map(({ name }) => name).join(', ');
  const more = nodes.length > objects.length ? ` and ${nodes.length - objects.length} more` : '';
  const saves = `${formatUsd(savingHourlyUsd)}/h, ${formatMonthlyUsd(savingHourlyUsd * HOURS_PER_MONTH)} a month`;
  return (
    <p className={cx(styles.proposal)} data-testid="proposal">
      <strong>Consolidation</strong>{' '}
      <LinkedText text={`would ${text} now (${named}${more}) and saves ${saves}.`} objects={objects} />
    </p>
  );
}
