import type { Clock } from '../../shared/ports/clock.ts';

export const systemClock: Clock = { now: () => Date.now() };
