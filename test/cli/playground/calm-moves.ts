import { fileURLToPath } from 'node:url';
import { playDemo } from '../../../cli/demo/script.ts';
import { readNonEmptyManifests } from '../../../cli/manifests/cluster-manifests.ts';
import { advance } from '../../../cli/playground/advance.ts';
import { createSimulatedCluster, STARTS_AT } from '../../../cli/playground/simulated-cluster.ts';
import { processIo } from '../../../cli/terminal/io.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const NEVER = new AbortController().signal;

type Move = Extract<ClusterEvent, { kind: 'remove' | 'replace' }>;

const isMove = (event: ClusterEvent): event is Move => event.kind === 'remove' || event.kind === 'replace';

/** The consolidations of an hour, and what an operator would call churn among them. */
export interface CalmHour {
  readonly moves: number;
  readonly churn: readonly string[];
}

/** Simulates the first hour of manifests; `demo` for what `npm start` shows. */
export async function simulateHour(folder: string): Promise<CalmHour> {
  const path = folder === 'demo' ? 'cli/demo' : folder;
  const manifests = await readNonEmptyManifests([`${PROJECT}${path}`], {
    recursive: true,
    io: processIo(),
  });
  const world = createSimulatedCluster(manifests, 1);
  if (folder === 'demo') playDemo(world);
  const moves: Move[] = [];
  let lastSeq = 0;
  // The world keeps the newest events only.
  for (let minute = 1; minute <= 60; minute++) {
    await advance(world.clock, STARTS_AT + minute * MINUTE_MS, { speed: 'max', stop: NEVER });
    for (const { seq, event } of world.events(lastSeq)) {
      lastSeq = seq;
      if (isMove(event)) moves.push(event);
    }
  }
  return { moves: moves.length, churn: moves.flatMap(listChurn) };
}

function listChurn({ claims, savingHourlyUsd, paybackMs = Infinity, kind }: Move): string[] {
  const what = `${kind} of ${claims.join(', ')}`;
  return [
    ...(savingHourlyUsd < 0.01 ? [`${what} saves $${savingHourlyUsd}/h`] : []),
    ...(paybackMs > HOUR_MS ? [`${what} pays back in ${paybackMs} ms`] : []),
  ];
}
