import type { Ports } from '../../ports/ports.ts';

/** True if the invocation lasts at least this many milliseconds; always true without a time limit. */
export const hasTimeFor = (
  { timeLeft = () => Number.POSITIVE_INFINITY }: Pick<Ports, 'timeLeft'>,
  ms: number,
): boolean => timeLeft() >= ms;
