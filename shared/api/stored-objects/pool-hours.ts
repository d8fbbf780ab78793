import { findNextOccurrence, findUnknownZone, parseCron } from '../../model/cron.ts';
import { durationMs, formatShortDuration } from '../../model/duration.ts';
import { HOURS_ANNOTATION, type Labels, OFF_HOURS_NODES_ANNOTATION } from '../../model/labels.ts';
import { findNearestWord } from '../../model/nearest-word.ts';
import type { HoursWindow, PoolHours } from '../../model/nodes/pool-hours.ts';
import { ownValue } from '../../model/own-value.ts';
import { quote } from '../finding.ts';

/** The mistake in an annotation, and the way to correct it. */
export interface HoursMistake {
  readonly annotation: string;
  readonly why: string;
  readonly fix: string;
}

/** Hours of a NodePool as its annotations say; neither field is set if they say nothing. */
interface ReadHours {
  readonly hours?: PoolHours;
  readonly mistake?: HoursMistake;
}

/**
 * Reads windows separated by semicolons, such as `CRON_TZ=Europe/Berlin 0 8 * * mon-fri for 12h`, and
 * the number of nodes outside of them, which is 0 by default.
 */
export function readHours(annotations: Labels | undefined): ReadHours {
  const written = ownValue(annotations, HOURS_ANNOTATION);
  const nodes = ownValue(annotations, OFF_HOURS_NODES_ANNOTATION);
  if (written === undefined) {
    return nodes === undefined ? {} : fail(OFF_HOURS_NODES_ANNOTATION, 'there are no hours', `add ${HOURS_ANNOTATION}`);
  }
  if (nodes !== undefined && !/^\d{1,9}$/.test(nodes)) {
    const why = `${quote(nodes)} is not a number of nodes`;
    return fail(OFF_HOURS_NODES_ANNOTATION, why, 'write a whole number of 0 or more');
  }
  const parts = written.split(';');
  if (parts.length > MAX_WINDOWS) {
    const why = `${parts.length} windows are too many`;
    return fail(HOURS_ANNOTATION, why, `write at most ${MAX_WINDOWS}`);
  }
  const windows: HoursWindow[] = [];
  for (const part of parts) {
    const window = readWindow(part.trim());
    if ('why' in window) return fail(HOURS_ANNOTATION, window.why, window.fix);
    windows.push(window);
  }
  return { hours: { windows, offHoursNodes: Number(nodes ?? 0) } };
}

/** As many as a NodePool may have budgets: every plan computes all of them. */
const MAX_WINDOWS = 50;

const fail = (annotation: string, why: string, fix: string): ReadHours => ({
  mistake: { annotation, why, fix },
});

const WINDOW = /^(?<schedule>.+)\sfor\s+(?<duration>(?:\d+h)?(?:\d+m)?)$/s;

function readWindow(text: string): HoursWindow | Pick<HoursMistake, 'why' | 'fix'> {
  const { schedule = '', duration = '' } = WINDOW.exec(text)?.groups ?? {};
  const ms = durationMs(duration);
  if (ms === 0) {
    return {
      why: `${quote(text)} is not a schedule with a duration`,
      fix: 'write "0 8 * * mon-fri for 12h", for example',
    };
  }
  const zone = findUnknownZone(schedule);
  if (zone !== undefined) {
    return { why: `no time zone is called ${quote(zone)}`, fix: proposeTimeZone(zone) };
  }
  const cron = parseCron(schedule);
  // The start of the search does not matter: any five years contain every day of the year.
  return cron && findNextOccurrence(cron, 0) !== undefined
    ? { schedule: schedule.trim(), durationMs: ms }
    : {
        why: `${quote(schedule)} is no schedule that can be computed`,
        fix: 'write five cron fields in range, for example "0 8 * * mon-fri"',
      };
}

/** Proposes the name that is probably meant. */
export function proposeTimeZone(name: string): string {
  const nearest = findNearestWord(name, Intl.supportedValuesOf('timeZone'));
  return nearest === undefined
    ? 'write a name of the IANA database, for example CRON_TZ=Europe/Berlin'
    : `write CRON_TZ=${nearest}`;
}

/** Writes the annotation; reading it gives the same windows. */
export const writeHours = ({ windows }: PoolHours): string =>
  windows.map(({ schedule, durationMs: ms }) => `${schedule} for ${formatShortDuration(ms)}`).join('; ');
