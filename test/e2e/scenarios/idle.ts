import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../scenario.ts';

const MINUTES = 2;

/** What the stack uses while nothing happens: sweeps, looks of disruption. Costs are made of it. */
export const idle: Scenario = {
  name: 'nothing happens',
  id: 'idle',
  async run() {
    await sleep(MINUTES * 60_000);
    return { minutes: MINUTES };
  },
};
