import type { ModelFeed } from '../../../console/model-feed.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';

/** A feed of a live cluster without commands and events, as `current` has it. */
export const aLiveFeed = (current: () => ClusterSnapshot, decisions: readonly Decision[] = []): ModelFeed => ({
  info: { source: 'live', cluster: 'shop', region: 'us-east-1' },
  clock: () => ({ now: current().takenAt, speed: 1, paused: false }),
  observe: async () => ({ snapshot: current(), commands: [] }),
  decisions: () => decisions,
  events: () => [],
  onChange: () => () => undefined,
  waitsMs: () => [],
});
