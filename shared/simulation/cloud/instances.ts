import { hashWithSeed } from '../../model/hash.ts';
import type { Launch, NodeClaim } from '../../model/nodes/node-claim.ts';
import { drawMs } from '../../model/random.ts';
import { type EpochMs, HOUR_MS } from '../../model/time.ts';
import type { SimObjectStore } from '../control-plane/object-store.ts';
import type { VirtualClock } from '../world.ts';

/** A simulated EC2 instance. It leaves the store when its shutdown completes. */
export interface SimInstance {
  readonly providerId: string;
  /** The claim as it was at launch. */
  readonly claim: NodeClaim;
  /** Tag: the claim's name, if it was launched alone or is registered. */
  readonly claimTag?: string;
  readonly launch: Launch;
  /** Tag: id of the launch request. */
  readonly launchId: string;
  readonly state: 'pending' | 'running' | 'shutting-down';
  /** The number of its reboots; `undefined` if there were none. */
  readonly reboots?: number;
  /** Set when the shutdown starts: EC2 stops billing here. */
  readonly endedAt?: EpochMs;
}

export type SimInstances = SimObjectStore<SimInstance>;

/** The instance is pending or running, so its kubelet may answer. */
export const isPoweredOn = (instance: SimInstance | undefined): boolean =>
  instance !== undefined && instance.state !== 'shutting-down';

/** Starts and stops instances with realistic delays. */
interface InstanceLifecycle {
  start(instance: Omit<SimInstance, 'providerId' | 'state'>): void;
  /** No error if the instance is gone. */
  shutDown(providerId: string): void;
  /** No error if the instance is gone. */
  reboot(providerId: string): void;
  /** Finds an instance that was terminated less than an hour ago. */
  findTerminated(providerId: string): SimInstance | undefined;
}

const TERMINATED_SHOWN_MS = HOUR_MS;

export function createInstanceLifecycle(seed: number, clock: VirtualClock, instances: SimInstances): InstanceLifecycle {
  const terminated = new Map<string, SimInstance>();

  function removeTerminated(providerId: string): void {
    const instance = instances.get(providerId);
    instances.remove(providerId);
    if (!instance) return;
    terminated.set(providerId, instance);
    clock.schedule(clock.now() + TERMINATED_SHOWN_MS, () => {
      terminated.delete(providerId);
    });
  }

  function powerOn(providerId: string): void {
    const instance = instances.get(providerId);
    if (instance?.state === 'pending') instances.put(providerId, { ...instance, state: 'running' });
  }

  return {
    start(instance) {
      const { providerId } = instance.launch;
      instances.put(providerId, { ...instance, providerId, state: 'pending' });
      const takesMs = drawMs(seed, `power ${instance.claim.name}`, 6_000, 12_000);
      clock.schedule(clock.now() + takesMs, () => powerOn(providerId));
    },
    shutDown(providerId) {
      const instance = instances.get(providerId);
      if (!instance || instance.state === 'shutting-down') return;
      instances.put(providerId, { ...instance, state: 'shutting-down', endedAt: clock.now() });
      const takesMs = drawMs(seed, `shutdown ${providerId}`, 3_000, 9_000);
      clock.schedule(clock.now() + takesMs, () => removeTerminated(providerId));
    },
    reboot(providerId) {
      const instance = instances.get(providerId);
      if (instance?.state === 'running')
        instances.put(providerId, { ...instance, reboots: (instance.reboots ?? 0) + 1 });
    },
    findTerminated: (providerId) => terminated.get(providerId),
  };
}

/** One of the launches of a claim. */
export interface ClaimLaunch {
  readonly claim: string;
  /** 1 for the first launch of the claim. */
  readonly ordinal: number;
}

/**
 * A provider id such as `aws:///us-east-1a/i-0123456789abcdef0`, derived from the seed and the launch.
 * Each launch has its own id.
 */
export function buildProviderId(seed: number, { claim, ordinal }: ClaimLaunch, zone: string): string {
  const key = ordinal === 1 ? `instance ${claim}` : `instance ${claim} ${ordinal}`;
  const words = [1, 2].map((part) =>
    hashWithSeed(key, seed + part)
      .toString(16)
      .padStart(8, '0'),
  );
  return `aws:///${zone}/i-0${words.join('')}`;
}
