import type { Launch, NodeClaim } from '../model/node-claim.ts';
import type { EpochMs } from '../model/time.ts';
import type { ObjectStore } from './object-store.ts';

/** An EC2 instance of the simulation; when it is terminated it leaves the store. */
export interface Machine {
  readonly providerId: string;
  /** As it was when the launch was asked for. */
  readonly claim: NodeClaim;
  readonly launch: Launch;
  /** Its tag: of the request that asked for it. */
  readonly launchId: string;
  readonly state: 'pending' | 'running' | 'shutting-down';
  /** Present once it is shutting down: the bill ends here. */
  readonly endedAt?: EpochMs;
}

export type Machines = ObjectStore<Machine>;

/** Powered on, so that its kubelet answers. */
export const isAlive = (machine: Machine | undefined): boolean =>
  machine !== undefined && machine.state !== 'shutting-down';
