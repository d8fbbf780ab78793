import type { Clock } from '../../shared/ports/ports.ts';

export const systemClock: Clock = { now: () => Date.now() };
