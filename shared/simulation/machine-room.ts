import type { Launch, NodeClaim } from '../model/node-claim.ts';
import { drawMs, hashText } from './random.ts';
import type { VirtualClock } from './world.ts';
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

/** Switches instances on and off, with the time that takes. */
interface MachineRoom {
  start(claim: NodeClaim, launch: Launch, launchId: string): void;
  /** No error if gone. */
  shutDown(providerId: string): void;
}

export function createMachineRoom(
  seed: number,
  clock: VirtualClock,
  machines: Machines,
): MachineRoom {
  function powerOn(providerId: string): void {
    const machine = machines.get(providerId);
    if (machine?.state === 'pending') machines.put(providerId, { ...machine, state: 'running' });
  }

  return {
    start(claim, launch, launchId) {
      const { providerId } = launch;
      const machine: Machine = { providerId, claim, launch, launchId, state: 'pending' };
      machines.put(providerId, machine);
      const takesMs = drawMs(seed, `power ${claim.name}`, 6_000, 12_000);
      clock.schedule(clock.now() + takesMs, () => powerOn(providerId));
    },
    shutDown(providerId) {
      const machine = machines.get(providerId);
      if (!machine || machine.state === 'shutting-down') return;
      machines.put(providerId, { ...machine, state: 'shutting-down', endedAt: clock.now() });
      const takesMs = drawMs(seed, `shutdown ${providerId}`, 3_000, 9_000);
      clock.schedule(clock.now() + takesMs, () => machines.remove(providerId));
    },
  };
}

/** `aws:///us-east-1a/i-0123456789abcdef0`, the same for the same claim. */
export function providerIdOf(seed: number, claim: string, zone: string): string {
  const words = [1, 2].map((part) =>
    hashText(`instance ${claim}`, seed + part)
      .toString(16)
      .padStart(8, '0'),
  );
  return `aws:///${zone}/i-0${words.join('')}`;
}
