import { hashWithSeed } from '../../model/hash.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import { drawMs } from '../../model/random.ts';
import type { EpochMs } from '../../model/time.ts';
import type { ObjectStore } from '../control-plane/object-store.ts';
import type { VirtualClock } from '../world.ts';

/** An EC2 instance of the simulation; when it is terminated it leaves the store. */
export interface SimInstance {
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

export type SimInstances = ObjectStore<SimInstance>;

/** Powered on, so that its kubelet answers. */
export const isPoweredOn = (instance: SimInstance | undefined): boolean =>
  instance !== undefined && instance.state !== 'shutting-down';

/** Switches instances on and off, with the time that takes. */
interface InstanceLifecycle {
  start(claim: NodeClaim, launch: Launch, launchId: string): void;
  /** No error if gone. */
  shutDown(providerId: string): void;
}

export function createInstanceLifecycle(
  seed: number,
  clock: VirtualClock,
  instances: SimInstances,
): InstanceLifecycle {
  function powerOn(providerId: string): void {
    const instance = instances.get(providerId);
    if (instance?.state === 'pending') instances.put(providerId, { ...instance, state: 'running' });
  }

  return {
    start(claim, launch, launchId) {
      const { providerId } = launch;
      const instance: SimInstance = { providerId, claim, launch, launchId, state: 'pending' };
      instances.put(providerId, instance);
      const takesMs = drawMs(seed, `power ${claim.name}`, 6_000, 12_000);
      clock.schedule(clock.now() + takesMs, () => powerOn(providerId));
    },
    shutDown(providerId) {
      const instance = instances.get(providerId);
      if (!instance || instance.state === 'shutting-down') return;
      instances.put(providerId, { ...instance, state: 'shutting-down', endedAt: clock.now() });
      const takesMs = drawMs(seed, `shutdown ${providerId}`, 3_000, 9_000);
      clock.schedule(clock.now() + takesMs, () => instances.remove(providerId));
    },
  };
}

/** `aws:///us-east-1a/i-0123456789abcdef0`, the same for the same claim. */
export function buildProviderId(seed: number, claim: string, zone: string): string {
  const words = [1, 2].map((part) =>
    hashWithSeed(`instance ${claim}`, seed + part)
      .toString(16)
      .padStart(8, '0'),
  );
  return `aws:///${zone}/i-0${words.join('')}`;
}
