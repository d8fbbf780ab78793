import { formatCount, plural } from '../../format.ts';
import type { PendingGroup } from '../../views.ts';
import { cx } from '../class-names.ts';
import { usePage } from '../store/use-page.ts';
import styles from './pending.module.css';
import { PendingCard } from './pending-card.tsx';

const SHOWN = 3;
const NONE: readonly PendingGroup[] = [];

/** Pending pods by cause, the longest wait first. The lane keeps its height when it is empty. */
export function PendingLane() {
  const groups = usePage(({ model }) => model?.pending ?? NONE);
  const pending = usePage(({ model }) => model?.totals.pendingPods ?? 0);
  // One more group fits in the space of the line "1 more group".
  const shown = groups.length <= SHOWN + 1 ? groups : groups.slice(0, SHOWN);
  const rest = groups.slice(shown.length);
  const restPods = rest.reduce((sum, { pods }) => sum + pods.length, 0);

  return (
    <section className={cx(styles.lane)} data-testid="pending-lane" aria-label="Pending pods">
      <div className={cx(styles.head)}>
        <h2>Pending</h2>
        <p>{pending === 0 ? 'no pods' : plural(pending, 'pod')}</p>
      </div>
      {groups.length === 0 && <p className={cx(styles.none)}>Every pod has its place.</p>}
      {shown.map((group, index) => (
        <PendingCard key={group.id} group={group} index={index} />
      ))}
      {rest.length > 0 && (
        <div className={cx(styles.more)}>
          <strong>{formatCount(rest.length)} more groups</strong>
          {plural(restPods, 'pod')}
        </div>
      )}
    </section>
  );
}
