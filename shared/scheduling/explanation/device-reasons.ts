import type { Reason } from '../../model/explanations/reasons.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { type Bitset, listBits } from '../data-structures/bitset.ts';
import type { DeviceShortage } from '../devices/allocate-devices.ts';
import { toDeviceHost, toNewNodeDeviceHost } from '../devices/device-hosts.ts';
import { createDeviceTracker } from '../devices/device-tracker.ts';
import { computeAmountsInUse, findHeldClaims } from '../devices/held-device-claims.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import type { Opening } from '../instance-types/narrowing.ts';

/** Explains why not even an empty node of the NodePool has the devices; undefined if it has. */
export function findDeviceShortage({ resolved }: PodSpec, opening: Opening, problem: Problem): Reason | undefined {
  const requested = resolved?.devices;
  if (!requested) return undefined;
  const host = toNewNodeDeviceHost(opening, opening, problem);
  const tracker = createDeviceTracker(new Map(), problem.work);
  const shortages = host.variants.map((variant, at) => {
    const shortage = tracker.findShortage(host, variant, requested);
    return { kind: variant, types: listTypeNames(host.typesOfVariant[at], problem), shortage };
  });
  const insufficient = shortages.flatMap(({ shortage, ...one }) => (shortage ? [{ ...one, shortage }] : []));
  if (insufficient.length < shortages.length) return undefined;

  const [closest] = insufficient.toSorted((a, b) => countFound(b.shortage) - countFound(a.shortage));
  const unknown = insufficient.find(({ kind: variant }) => !variant.predicted);
  if (closest && (countFound(closest.shortage) > 0 || !unknown)) {
    const fields = { ...closest.shortage, type: closest.types[0] ?? '' };
    return { code: 'devices-missing', fields };
  }
  return unknown && createUnknownDevicesReason(unknown.shortage, unknown.types);
}

function createUnknownDevicesReason({ claim, wanted: requested }: DeviceShortage, types: readonly string[]): Reason {
  const unnamed = types.length - MAX_NAMED_TYPES;
  const named = types.slice(0, MAX_NAMED_TYPES).join(', ');
  const fields = {
    claim,
    wanted: requested,
    types: unnamed > 0 ? `${named} or ${unnamed} more types` : named,
  };
  return { code: 'devices-unknown', fields };
}

const MAX_NAMED_TYPES = 3;

const countFound = ({ found }: DeviceShortage): number => Number(found) || 0;

const listTypeNames = (types: Bitset | undefined, { typeIndex }: Problem): readonly string[] =>
  types ? listBits(types).flatMap((type) => typeIndex.types[type]?.name ?? []) : [];

/** Explains which devices an otherwise suitable node lacks; undefined if it lacks none. */
export function findDevicesInUse(
  { resolved }: PodSpec,
  existingNode: ExistingNode,
  problem: Problem,
): Reason | undefined {
  const { devices, pods } = problem.snapshot;
  const requested = resolved?.devices;
  if (!requested || !devices) return undefined;
  const host = toDeviceHost(existingNode, problem);
  const tracker = createDeviceTracker(computeAmountsInUse(devices, findHeldClaims(devices, pods, [])), problem.work);
  const shortage = host.variants
    .map((variant) => tracker.findShortage(host, variant, requested))
    .find((one) => one !== undefined);
  return shortage && { code: 'devices-in-use', fields: { ...shortage } };
}

/** Explains that only other pods' devices are in the way. */
export const createDevicesTakenReason = ({ resolved }: PodSpec): Reason | undefined =>
  resolved?.devices && {
    code: 'devices-taken',
    fields: { claim: resolved.devices.map(({ claim }) => claim).join(', ') },
  };
