import type { FleetCall } from '../../lab/aws/ec2-proxy.ts';
import { isRecord, parseJsonLine, valueAt } from '../../lab/json.ts';
import type { Lab } from '../../lab/start-lab.ts';
import { percentile } from '../../scenario.ts';

/** When notices were handled and answered, in milliseconds after the first of them was sent. */
export interface StormTimes {
  /** Until the claim of a notice was marked as leaving. */
  readonly markedMs: Spread;
  /** Until the plan that was the first to know of the notice had requested its instances. */
  readonly requestedMs: Spread;
  /** Notices that no such plan followed, because the pods of their nodes had room elsewhere. */
  readonly withoutRequest: number;
}

interface Spread {
  readonly median: number;
  readonly last: number;
}

/** A run of the planner that requested instances. */
interface PlannedRun {
  /** When it began to read the cluster. */
  readonly readAt: number;
  readonly requestedAt: number;
}

/** Reads from the functions' logs how fast each notice of a storm was answered. */
export async function readStormTimes(lab: Lab, calls: readonly FleetCall[], startedAt: number): Promise<StormTimes> {
  const lines = (await lab.logs(startedAt)).flatMap(({ at, text }) => {
    const fields = parseJsonLine(text);
    return isRecord(fields) ? { at, fields } : [];
  });
  const marked = lines.flatMap(({ fields }) =>
    fields.message === 'interruption' ? Number(valueAt(fields, 'event', 'at')) : [],
  );
  const ends = lines.filter(({ fields }) => fields.message === 'nodes requested');
  const runs = ends.flatMap(({ at, fields }, index) =>
    toRun(
      fields,
      calls.filter((call) => call.at <= at && call.at > (ends[index - 1]?.at ?? 0)),
    ),
  );
  const requested = marked.flatMap((markedAt) => runs.find(({ readAt }) => readAt >= markedAt)?.requestedAt ?? []);
  return {
    markedMs: spread(marked, startedAt),
    requestedMs: spread(requested, startedAt),
    withoutRequest: marked.length - requested.length,
  };
}

function toRun(fields: unknown, calls: readonly FleetCall[]): readonly PlannedRun[] {
  const [first] = calls;
  if (!first) return [];
  const step = (name: string): number => Number(valueAt(fields, 'ms', name));
  const beforeMs = step('read') + step('plan') + step('commit') + step('launch');
  return [{ readAt: first.at - beforeMs, requestedAt: Math.max(...calls.map(({ at }) => at)) }];
}

const spread = (times: readonly number[], startedAt: number): Spread => ({
  median: percentile(times, 0.5) - startedAt,
  last: Math.max(...times) - startedAt,
});
