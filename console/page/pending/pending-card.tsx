import { Button } from 'react-aria-components';
import { formatDuration } from '../../format.ts';
import type { PendingGroup, PendingStatus } from '../../views.ts';
import { cx } from '../class-names.ts';
import { NoteText } from '../controls/linked-text.tsx';
import { NamespaceTile } from '../controls/namespace-tile.tsx';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import styles from './pending.module.css';

interface PendingCardProps {
  readonly group: PendingGroup;
  readonly index: number;
}

export function PendingCard({ group, index }: PendingCardProps) {
  const { select, selected } = useUi();
  const [first] = group.pods;
  const isSelected = selected?.kind === 'pod' && group.pods.includes(selected.name);
  return (
    <Button
      className={cx(styles.card, isSelected && styles.selected)}
      data-testid={`pending-group-${index + 1}`}
      data-state={group.status}
      onPress={() => first !== undefined && select({ kind: 'pod', name: first })}
    >
      <PendingTiles keys={group.pods} />
      <span className={cx(styles.words)}>
        <span className={cx(styles.title)}>
          <strong>{group.title}</strong>
          <Badge status={group.status} since={group.since} />
        </span>
        <span className={cx(styles.line)}>
          <NoteText note={group.line} />
        </span>
      </span>
    </Button>
  );
}

const WORDS: Readonly<Record<PendingStatus, string>> = {
  starting: 'node starting',
  fits: 'binding',
  blocked: 'blocked',
  held: 'held',
  deciding: 'deciding',
};

function Badge({ status, since }: { readonly status: PendingStatus; readonly since: number }) {
  const now = useClusterNow(1_000);
  const waited = Math.floor((now - since) / 1000) * 1000;
  return (
    <span className={cx(styles.badge)} data-status={status}>
      {WORDS[status]} {waited > 0 && formatDuration(waited)}
    </span>
  );
}

const SHOWN = 12;

/** Pods as the map draws them, in their namespace's colour. */
function PendingTiles({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className={cx(styles.tiles)} aria-hidden="true">
      {keys.slice(0, SHOWN).map((key) => (
        <NamespaceTile key={key} namespace={key.slice(0, key.indexOf('/'))} isPlanned />
      ))}
    </span>
  );
}
