import { parseJsonLine, valueAt } from './lab/json.ts';
import type { Lab } from './lab/start-lab.ts';
import { type Measures, percentile } from './scenario.ts';

/** The steps that the log line of `functions/provisioning/trace-launches.ts` names. */
const STEPS = ['queue', 'bucket', 'batch', 'read', 'plan', 'commit', 'launch'] as const;

/**
 * Reads where the time went in the runs that requested nodes since a time: the median of each step in
 * milliseconds, from the hint to the request. What a story took besides is kubectl, the API server and
 * its hook.
 */
export async function readLaunchTimes(lab: Lab, since: number): Promise<Measures> {
  const lines = await lab.logs(since);
  const runs = lines
    .filter(({ text }) => text.includes('nodes requested'))
    .flatMap(({ text }) => parseJsonLine(text) ?? []);
  const median = (step: string): number =>
    percentile(
      runs.map((run) => Number(valueAt(run, 'ms', step))),
      0.5,
    );
  return {
    planningRuns: runs.length,
    ...(runs.length > 0 && Object.fromEntries(STEPS.map((step) => [`${step}Ms`, median(step)]))),
  };
}
