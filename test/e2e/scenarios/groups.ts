import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../scenario.ts';
import { badEndpoints, hookConditions } from './hooks.ts';
import { rebalance, spotInterruption } from './interruption.ts';
import { destroyAlone, uninstallThenDestroy } from './leaving.ts';
import { apiServerDown, hookRefused, hookSwallows, redelivery } from './outage.ts';
import { handOver, karpenterAlive } from './ownership.ts';
import { deleteNode, deleteNodeClaim, scaleDown } from './removal.ts';
import { burst, zeroToHundred } from './scale-up.ts';
import { lostAnswer, shortage, throttling } from './shortage.ts';
import { singlePod } from './single-pod.ts';
import { tableEmptied } from './table.ts';

const IDLE_MINUTES = 2;

/** What the stack uses while nothing happens: sweeps, looks of disruption. Costs are made of it. */
const idle: Scenario = {
  name: 'nothing happens',
  id: 'idle',
  async run() {
    await sleep(IDLE_MINUTES * 60_000);
    return { minutes: IDLE_MINUTES };
  },
};

/** Groups follow each other. Those of one group run beside each other, and do not disturb. */
export const GROUPS: readonly (readonly Scenario[])[] = [
  // Measured: nothing else runs.
  [idle],
  [singlePod],
  [zeroToHundred],
  [burst],
  [spotInterruption, rebalance, scaleDown, deleteNodeClaim, deleteNode],
  // Each has EC2 fail for whoever asks.
  [shortage],
  [throttling],
  [lostAnswer],
  [redelivery],
  // They count all calls of hooks.
  [hookConditions],
  [badEndpoints],
  // Each takes something away from all.
  [apiServerDown],
  [hookRefused],
  [karpenterAlive],
  [handOver],
  // The hooks are gone after it, until the next deployment.
  [hookSwallows],
  // What is known of the hooks goes as well.
  [tableEmptied],
  [destroyAlone],
  [uninstallThenDestroy],
];
