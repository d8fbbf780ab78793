import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { NodeMoment, Walk } from './demo-walk.ts';

/** Lists moments at which the page and the export give different answers. */
export const listDisagreements = ({ moments }: Walk): readonly string[] =>
  moments.flatMap((moment) => {
    const { page, outcome, reasons } = moment;
    const isSame = page.outcome === outcome && page.reasons.join() === reasons.join();
    return isSame ? [] : [describe(moment)];
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
  `minute ${minute}, ${node}: the page says "${page.verdict}: ${page.reasons.join('; ')}", explain ${outcome}: ${reasons.join('; ')}`;
