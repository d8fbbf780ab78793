import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { NodeMoment, Walk } from './demo-walk.ts';

/** The page's sentence begins with the outcome that `explain` gives. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  stays: /^It stays/,
  goes: /^It goes|^The planner would/,
  leaving: /^It is going away/,
  starting: /^It is starting|^It has joined/,
};

/** The page shows times of today. */
const withoutDates = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g, '$1');

/** Lists moments at which the page and the export give different answers. */
export const listDisagreements = ({ moments }: Walk): readonly string[] =>
  moments.flatMap((moment) => {
    const { page, outcome = '', reasons } = moment;
    const isSame = BEGINNINGS[outcome]?.test(page) ?? false;
    const isSaid = outcome !== 'stays' || reasons.every((reason) => page.includes(withoutDates(reason)));
    return isSame && isSaid ? [] : [describe(moment)];
  });

/** A command waits 15 s, then its replacement is launched and gets ready, before its node leaves. */
const MAX_WAIT_MS = 3 * MINUTE_MS;

/**
 * Lists nodes that were said to go and did not leave, and nodes that were said to stay and left within the minute
 * although no scene of the demo began.
 */
export const listBrokenPromises = (
  { moments, leftAt, startedAt }: Walk,
  scenes: readonly number[],
): readonly string[] =>
  moments.flatMap((moment) => {
    const at = startedAt + moment.minute * MINUTE_MS;
    const goneAt = leftAt.get(moment.node) ?? Number.POSITIVE_INFINITY;
    const isDisturbed = (untilMs: number): boolean =>
      scenes.some((scene) => startedAt + scene >= at - MINUTE_MS && startedAt + scene <= at + untilMs);
    const isLate = moment.outcome === 'goes' && goneAt > at + MAX_WAIT_MS && !isDisturbed(MAX_WAIT_MS);
    // A budget in use has room again once the other node has gone, and explain may name a time within the minute.
    const isWaiting = moment.reasons.some((reason) => reason.endsWith('in use')) || (moment.nextAt ?? goneAt) < goneAt;
    const isEarly = moment.outcome === 'stays' && goneAt <= at + MINUTE_MS && !isWaiting && !isDisturbed(MINUTE_MS);
    return isLate || isEarly ? [`${describe(moment)}, gone at ${new Date(goneAt).toISOString()}`] : [];
  });

const describe = ({ minute, node, page, outcome, reasons }: NodeMoment): string =>
  `minute ${minute}, ${node}: the page says "${page}", explain ${outcome}: ${reasons.join('; ')}`;
