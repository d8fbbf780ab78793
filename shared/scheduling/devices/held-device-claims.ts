import { getOrCreate } from '../../model/memo.ts';
import type { DeviceClaim, Devices } from '../../model/pods/devices.ts';
import { isActive } from '../../model/pods/disruption-pods.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { toCapacityKey } from './allocate-devices.ts';
import { groupDevicePools, listCounterUses } from './device-pools.ts';

// Cached because every simulation of a snapshot asks again.
const podsByUidCache = new WeakMap<readonly Pod[], ReadonlyMap<string, Pod>>();

function getPodsByUid(pods: readonly Pod[]): ReadonlyMap<string, Pod> {
  return getOrCreate(podsByUidCache, pods, () => new Map(pods.map((pod) => [pod.uid, pod])));
}

/**
 * Finds the claims whose devices stay allocated. Other claims are free: they are unused, or used
 * only by pods that are finished, terminating or being moved.
 */
export function findHeldClaims(
  { claims }: Devices,
  pods: readonly Pod[],
  batch: readonly Pod[],
): ReadonlySet<DeviceClaim> {
  const allocated = claims.filter(({ allocation }) => allocation !== undefined);
  if (allocated.length === 0) return NO_CLAIMS;
  const podsByUid = getPodsByUid(pods);
  const moving = new Set(batch.map(({ uid }) => uid));
  const isHolderStaying = (uid: string): boolean => {
    const pod = podsByUid.get(uid);
    return pod !== undefined && !moving.has(uid) && isActive(pod);
  };
  return new Set(allocated.filter(({ holders }) => holders.some(isHolderStaying)));
}

const NO_CLAIMS: ReadonlySet<DeviceClaim> = new Set();

/** Computes the amounts in use in the cluster, by the keys of `UsedAmounts`. */
export function computeAmountsInUse({ slices }: Devices, held: ReadonlySet<DeviceClaim>): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  const addAmount = (key: string, amount: number) => amounts.set(key, (amounts.get(key) ?? 0) + amount);
  const allocated = [...held].flatMap(({ allocation }) => allocation?.devices ?? []);
  if (allocated.length === 0) return amounts;
  const devicesById = new Map(
    groupDevicePools(slices).flatMap(({ devices }) => devices.map((supplied) => [supplied.id, supplied])),
  );
  for (const { driver, pool, device, adminAccess, consumed = {} } of allocated) {
    if (adminAccess) continue;
    const id = `${driver}/${pool}/${device}`;
    const isFirst = !amounts.has(id);
    addAmount(id, 1);
    for (const [name, amount] of Object.entries(consumed)) addAmount(toCapacityKey(id, name), amount);
    if (!isFirst) continue;
    const uses = listCounterUses(`${driver}/${pool}`, devicesById.get(id)?.device.uses);
    for (const [key, amount] of uses) addAmount(key, amount);
  }
  return amounts;
}
