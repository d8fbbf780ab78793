import { decisionIndex } from '../../../console/views/decision-index.ts';
import type { ConsoleFacts } from '../../../console/views/facts.ts';
import { createPodCache } from '../../../console/views/pod-view.ts';
import { nodeViewNames } from '../../../console/views/pods.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { aSnapshot, NOON } from '../../support/builders.ts';

interface FactsOver extends Omit<Partial<ConsoleFacts>, 'decisions' | 'snapshot'> {
  readonly snapshot?: Partial<ClusterSnapshot>;
  readonly decisions?: readonly Decision[];
}

/** The facts of an empty playground at `NOON`, with the changes of a test. */
export function someFacts({ snapshot, decisions = [], ...over }: FactsOver = {}): ConsoleFacts {
  const full = aSnapshot(snapshot);
  const index = decisionIndex();
  index.add(decisions, nodeViewNames(full));
  return {
    info: { instance: 'i-1', source: 'playground', cluster: 'demo', region: 'us-east-1', seed: 1 },
    clock: { now: NOON, speed: 10, paused: false },
    snapshot: full,
    commands: [],
    decisions: index,
    pods: createPodCache(),
    waitsMs: [],
    ...over,
  };
}
