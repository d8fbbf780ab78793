import { SECOND_MS } from './time.ts';

/** What lies between a hint and a look that is sure to show what it was about. */
export interface HintTiming {
  /** Equal hints of one bucket are one message. */
  readonly bucketMs: number;
  /** From a hook's answer until a pod that is waiting says so. */
  readonly podMarginMs: number;
  /** From a hook's answer until what it saw before it was stored can be read. */
  readonly objectMarginMs: number;
}

export const DEFAULT_TIMING: HintTiming = {
  bucketMs: 250,
  podMarginMs: 250,
  objectMarginMs: SECOND_MS,
};

/** Pods wait as long as hints do. */
const LONGEST_MS = 5 * SECOND_MS;

/** Which of them would lose a wake-up, or make every pod wait; none, where all is well. */
export const badTimings = ({
  bucketMs,
  podMarginMs,
  objectMarginMs,
}: HintTiming): readonly (keyof HintTiming)[] => {
  const isRight = (marginMs: number): boolean => marginMs > 0 && bucketMs + marginMs <= LONGEST_MS;
  return [
    ...(bucketMs > 0 ? [] : ['bucketMs' as const]),
    ...(isRight(podMarginMs) ? [] : ['podMarginMs' as const]),
    ...(isRight(objectMarginMs) ? [] : ['objectMarginMs' as const]),
  ];
};
