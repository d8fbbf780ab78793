import type { DeviceClaim, Devices } from '../../model/devices.ts';
import { isTerminal } from '../../model/disruption-pods.ts';
import type { Pod } from '../../model/pod.ts';
import { partKey } from './allocate-devices.ts';
import { counterUses, devicePools } from './device-pools.ts';

// Asked with every simulation of one snapshot.
const byUid = new WeakMap<readonly Pod[], ReadonlyMap<string, Pod>>();

function podsByUid(pods: readonly Pod[]): ReadonlyMap<string, Pod> {
  const known = byUid.get(pods) ?? new Map(pods.map((pod) => [pod.uid, pod]));
  byUid.set(pods, known);
  return known;
}

/**
 * Claims whose devices stay where they are. The others are free: nobody holds them, or only pods
 * that look for another place, that are going away or are gone.
 */
export function heldClaims(
  { claims }: Devices,
  pods: readonly Pod[],
  batch: readonly Pod[],
): ReadonlySet<DeviceClaim> {
  const allocated = claims.filter(({ allocation }) => allocation !== undefined);
  if (allocated.length === 0) return NO_CLAIMS;
  const known = podsByUid(pods);
  const moving = new Set(batch.map(({ uid }) => uid));
  const stays = (uid: string): boolean => {
    const pod = known.get(uid);
    return (
      pod !== undefined && !moving.has(uid) && pod.deletionAt === undefined && !isTerminal(pod)
    );
  };
  return new Set(allocated.filter(({ holders }) => holders.some(stays)));
}

const NO_CLAIMS: ReadonlySet<DeviceClaim> = new Set();

/** What is in use in the cluster, by the keys of an allocation. */
export function amountsInUse(
  { slices }: Devices,
  held: ReadonlySet<DeviceClaim>,
): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  const add = (key: string, amount: number) => amounts.set(key, (amounts.get(key) ?? 0) + amount);
  const taken = [...held].flatMap(({ allocation }) => allocation?.devices ?? []);
  if (taken.length === 0) return amounts;
  const known = new Map(
    devicePools(slices).flatMap(({ devices }) => devices.map((found) => [found.id, found])),
  );
  for (const { driver, pool, device, adminAccess, consumed = {} } of taken) {
    if (adminAccess) continue;
    const id = `${driver}/${pool}/${device}`;
    const isFirst = !amounts.has(id);
    add(id, 1);
    for (const [name, amount] of Object.entries(consumed)) add(partKey(id, name), amount);
    if (!isFirst) continue;
    const uses = counterUses(`${driver}/${pool}`, known.get(id)?.device.uses);
    for (const [key, amount] of uses) add(key, amount);
  }
  return amounts;
}
