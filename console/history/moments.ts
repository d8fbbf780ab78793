import type { EpochMs } from '../../shared/model/time.ts';
import { DAY_MS } from '../../shared/model/time.ts';
import type { ModelFrame } from '../model-feed.ts';

export interface Moment {
  readonly at: EpochMs;
  readonly frame: ModelFrame;
}

/** Frames of the past, denser towards now. */
export interface Moments {
  /** A frame at the time of the last one replaces it. */
  add(moment: Moment): void;
  /** The newest frame that is not later; the first one if all are later. */
  at(at: EpochMs): Moment | undefined;
  after(at: EpochMs): Moment | undefined;
  first(): Moment | undefined;
  /** The newest frame that is not later and that matches. */
  findLast(until: EpochMs, matches: (moment: Moment) => boolean): Moment | undefined;
}

const KEPT_MS = DAY_MS;
const MAX_MOMENTS = 1_200;
/** Unchanged objects are shared between frames, so that a frame costs a reference per object. */
const MAX_REFERENCES = 8_000_000;

export function moments(): Moments {
  let kept: Moment[] = [];

  const isTooMuch = (): boolean => {
    const { pods = [], nodes = [] } = kept.at(-1)?.frame.snapshot ?? {};
    return kept.length > Math.min(MAX_MOMENTS, MAX_REFERENCES / (pods.length + nodes.length + 1));
  };

  return {
    add(moment) {
      if (kept.at(-1)?.at === moment.at) kept.pop();
      kept.push(moment);
      if ((kept[0]?.at ?? 0) < moment.at - KEPT_MS) kept.shift();
      if (isTooMuch()) kept = thinOut(kept);
    },
    at: (at) => kept.findLast((moment) => moment.at <= at) ?? kept[0],
    after: (at) => kept.find((moment) => moment.at > at),
    first: () => kept[0],
    findLast: (until, matches) => kept.findLast((moment) => moment.at <= until && matches(moment)),
  };
}

/** Drops every second frame of the older half, but never the first. */
function thinOut(all: readonly Moment[]): Moment[] {
  const half = Math.ceil(all.length / 2);
  return all.filter((_, index) => index > half || index % 2 === 0);
}
