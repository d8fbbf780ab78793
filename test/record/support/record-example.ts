import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readNonEmptyManifests } from '../../../cli/manifests/cluster-manifests.ts';
import { advance } from '../../../cli/playground/advance.ts';
import { createSimulatedCluster, SIMULATED_LAUNCH_CAPS, STARTS_AT } from '../../../cli/playground/simulated-cluster.ts';
import { processIo } from '../../../cli/terminal/io.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import type { Confirmation, Decision } from '../../../shared/ports/decision-log.ts';
import { createDecisionRecorder } from '../../../shared/record/decision-recorder.ts';
import { createMemoryRecordStore, type MemoryRecordStore } from './memory-record-store.ts';

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

type AnyDecision = Decision | Confirmation;

/**
 * Simulates an example and records each of its decisions.
 *
 * @param prepare - changes a decision before it is recorded
 */
export async function recordExample(
  example: string,
  forMs: number,
  prepare: (decision: AnyDecision) => AnyDecision = (decision) => decision,
): Promise<MemoryRecordStore> {
  const manifests = await readNonEmptyManifests([join(EXAMPLES, example)], {
    recursive: true,
    io: processIo(),
  });
  const store = createMemoryRecordStore();
  const recorder = createDecisionRecorder(store, '0.1.0');
  const { clock } = createSimulatedCluster(manifests, 1, DEFAULT_SETTINGS, SIMULATED_LAUNCH_CAPS, {
    onDecision: async (decision) => {
      await recorder.record(prepare(decision));
    },
  });
  const stop = new AbortController().signal;
  await advance(clock, STARTS_AT + forMs, { speed: 'max', stop });
  return store;
}
