import { formatEvent } from '../../shared/model/explanations/event-kinds.ts';
import type { ClusterEvent } from '../../shared/model/explanations/events.ts';
import type { EventTone, EventView, ObjectRef } from '../views.ts';

/** An event with its number in the source's sequence. */
export interface NumberedEvent {
  readonly seq: number;
  readonly event: ClusterEvent;
}

export const eventView = ({ seq, event }: NumberedEvent): EventView => ({
  seq,
  at: event.at,
  kind: event.kind,
  tone: TONES[event.kind],
  objects: objectsOf(event),
  text: formatEvent(event),
});

const TONES: Readonly<Record<ClusterEvent['kind'], EventTone>> = {
  launch: 'good',
  placed: 'good',
  unplaced: 'bad',
  ready: 'good',
  interruption: 'warn',
  rebalance: 'warn',
  impaired: 'warn',
  'block-ends': 'warn',
  draining: 'change',
  'volumes-attached': 'change',
  unavailable: 'warn',
  'remove-empty': 'change',
  remove: 'change',
  replace: 'change',
  drifted: 'warn',
  'replace-drifted': 'change',
  'rollout-stopped': 'bad',
  'rollout-resumed': 'good',
  evicted: 'change',
  'pod-deleted': 'warn',
  'owner-restarted': 'change',
  'replacement-requested': 'change',
  'consolidation-dropped': 'change',
  'move-back-prevented': 'change',
  'class-in-use': 'warn',
  'class-not-ready': 'warn',
  'eviction-refused': 'warn',
  'eviction-failed': 'bad',
  'drain-stuck': 'bad',
  expired: 'change',
  'not-registered': 'bad',
  'node-missing': 'bad',
  repair: 'change',
  'repair-blocked': 'bad',
  'repair-waits': 'bad',
  'reboot-requested': 'change',
  rebooted: 'good',
  'reboot-failed': 'bad',
  'launch-refused': 'bad',
  inconsistent: 'warn',
  unguarded: 'warn',
  terminated: 'change',
  capped: 'bad',
  'pods-not-received': 'bad',
  'plan-unfinished': 'bad',
  'pods-set-aside': 'bad',
  'node-set-aside': 'bad',
  'planning-paused': 'bad',
  adopted: 'change',
  unexplained: 'bad',
  'cluster-deleted': 'bad',
  'stand-by': 'warn',
  'zonal-shift-active': 'warn',
  'zonal-shift-cleared': 'good',
  'shifts-unknown': 'bad',
  you: 'you',
};

/** Lists the objects that the page can open from the text. */
function objectsOf(event: ClusterEvent): ObjectRef[] {
  const nodes = [...claimsOf(event)].map((name): ObjectRef => ({ kind: 'node', name }));
  const pods = podsOf(event).map((name): ObjectRef => ({ kind: 'pod', name }));
  return [...nodes, ...pods];
}

function claimsOf(event: ClusterEvent): readonly string[] {
  if ('claims' in event) return event.claims;
  if ('claim' in event) return [event.claim];
  return 'targets' in event ? event.targets : [];
}

function podsOf(event: ClusterEvent): readonly string[] {
  if ('pod' in event) return [event.pod];
  // The text names single pods only; those of a launch are on its node.
  return event.kind === 'unplaced' ? event.pods.slice(0, 3) : [];
}
