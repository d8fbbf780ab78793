import type { PodSpec } from '../../model/pod.ts';
import type { Reason } from '../../model/reasons.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import type { Opening } from '../instance-types/narrowing.ts';
import type { Problem } from '../input/problem.ts';
import { type Bitset, bitsOf } from '../data-structures/bitset.ts';
import type { Shortage } from '../devices/allocate-devices.ts';
import { deviceBook } from '../devices/device-tracker.ts';
import { hostOfBin, hostOfDraft } from '../devices/device-hosts.ts';
import { amountsInUse, heldClaims } from '../devices/held-device-claims.ts';

/** Why no node of a pool would have the devices, were it empty; undefined if one would. */
export function devicesMissing(
  { settled }: PodSpec,
  place: Opening,
  problem: Problem,
): Reason | undefined {
  const wanted = settled?.devices;
  if (!wanted) return undefined;
  const host = hostOfDraft(place, place, problem);
  const book = deviceBook(new Map());
  const looked = host.kinds.map((kind, at) => {
    const shortage = book.shortage(host, kind, wanted);
    return { kind, types: typeNames(host.typesOfKind[at], problem), shortage };
  });
  const lacking = looked.flatMap(({ shortage, ...one }) =>
    shortage ? [{ ...one, shortage }] : [],
  );
  if (lacking.length < looked.length) return undefined;

  const [best] = lacking.toSorted((a, b) => foundOf(b.shortage) - foundOf(a.shortage));
  const unknown = lacking.find(({ kind }) => !kind.own);
  if (best && (foundOf(best.shortage) > 0 || !unknown)) {
    const fields = { ...best.shortage, type: best.types[0] ?? '' };
    return { code: 'devices-missing', fields };
  }
  return unknown && devicesUnknown(unknown.shortage, unknown.types);
}

function devicesUnknown({ claim, wanted }: Shortage, types: readonly string[]): Reason {
  const others = types.length - NAMED_TYPES;
  const named = types.slice(0, NAMED_TYPES).join(', ');
  const fields = { claim, wanted, types: others > 0 ? `${named} or ${others} more types` : named };
  return { code: 'devices-unknown', fields };
}

const NAMED_TYPES = 3;

const foundOf = ({ found }: Shortage): number => Number(found) || 0;

const typeNames = (types: Bitset | undefined, { index }: Problem): readonly string[] =>
  types ? bitsOf(types).flatMap((type) => index.types[type]?.name ?? []) : [];

/** What a node that has all else for the pod lacks of devices; undefined: nothing. */
export function devicesInUse(
  { settled }: PodSpec,
  bin: ExistingBin,
  problem: Problem,
): Reason | undefined {
  const { devices, pods } = problem.snapshot;
  const wanted = settled?.devices;
  if (!wanted || !devices) return undefined;
  const host = hostOfBin(bin, problem);
  const book = deviceBook(amountsInUse(devices, heldClaims(devices, pods, [])));
  const shortage = host.kinds
    .map((kind) => book.shortage(host, kind, wanted))
    .find((one) => one !== undefined);
  return shortage && { code: 'devices-in-use', fields: { ...shortage } };
}

/** What is left to say where nodes would have the devices, were it not for other pods. */
export const devicesTaken = ({ settled }: PodSpec): Reason | undefined =>
  settled?.devices && {
    code: 'devices-taken',
    fields: { claim: settled.devices.map(({ claim }) => claim).join(', ') },
  };
