import type { ApiServer } from './api-server.ts';
import type { PodFactory } from './pod-factory.ts';
import type { VirtualClock } from './world.ts';

/** What every controller of the controller-manager works with. */
export interface ControllerTools {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly factory: PodFactory;
}

/** From a change to the controller that acts on it. */
export const REACTION_MS = 100;
/** Between two bursts of one workload: with `BURST_PODS`, 40 pods a second. */
export const PACE_MS = 250;
export const BURST_PODS = 10;
