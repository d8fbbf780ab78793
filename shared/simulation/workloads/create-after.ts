import { parseGoDuration } from '../../model/duration.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Workload } from '../../model/pods/workload.ts';

/** When the workload is created, as a Go duration from the start of the simulation. */
const CREATE_AFTER_ANNOTATION = 'simulation.mortise.sh/create-after';

/** Reads after how long the workload is created; 0 if it exists from the start. */
export function readCreateAfterMs({ annotations }: Workload): number {
  const written = ownValue(annotations, CREATE_AFTER_ANNOTATION);
  return Math.max(0, (written === undefined ? 0 : parseGoDuration(written)) ?? 0);
}
