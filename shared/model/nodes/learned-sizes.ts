import type { InstanceType } from '../offerings/instance-type.ts';
import { ownValue } from '../own-value.ts';
import type { Resources } from '../resources.ts';
import { DAY_MS } from '../time.ts';
import type { Node } from './node.ts';
import type { Launch } from './node-claim.ts';

/**
 * The real size of an instance type, as nodes of one image reported it. Of several nodes the
 * smallest counts.
 */
export interface LearnedSize {
  readonly instanceType: string;
  readonly imageId: string;
  /**
   * Digest of everything else that decides how much of the node pods can use: see `Launch.setup`.
   */
  readonly setup: string;
  /** The capacity that the kubelet reports; only memory, because the rest is known in advance. */
  readonly capacity: Resources;
  /** The allocatable resources. */
  readonly allocatable: Resources;
}

/** A size is forgotten this long after the last node that showed it; images are replaced sooner. */
export const SIZE_KEPT_MS = 60 * DAY_MS;

/**
 * Resources that every kubelet reports. Resources of device plugins appear later and are known from
 * the type.
 */
const LEARNED_RESOURCES = ['cpu', 'memory', 'ephemeral-storage', 'pods'] as const;

/**
 * Reads the size that a Node reports. An amount of zero is unknown: the kubelet reports its disk
 * late.
 *
 * @returns `undefined` if the Node reports nothing, or the image and setup of the launch are
 *   unknown
 */
export function observeSize(launch: Launch, node: Node): LearnedSize | undefined {
  const { instanceType, imageId, setup } = launch;
  const { memory } = node.capacity;
  if (imageId === undefined || setup === undefined || !memory) return undefined;
  return {
    instanceType,
    imageId,
    setup,
    capacity: { memory },
    allocatable: selectResources(LEARNED_RESOURCES, node.allocatable),
  };
}

const selectResources = (keys: readonly string[], resources: Resources): Resources =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const amount = ownValue(resources, key);
      return amount ? [[key, amount]] : [];
    }),
  );

/**
 * Takes the smaller of both amounts for every resource, so that no node is smaller than the stored
 * size.
 */
export const minSize = (stored: LearnedSize, observed: LearnedSize): LearnedSize => ({
  ...observed,
  capacity: minAmounts(stored.capacity, observed.capacity),
  allocatable: minAmounts(stored.allocatable, observed.allocatable),
});

function minAmounts(a: Resources, b: Resources): Resources {
  const min: Record<string, number> = { ...a };
  for (const [key, amount] of Object.entries(b)) {
    min[key] = Math.min(ownValue(min, key) ?? Number.POSITIVE_INFINITY, amount);
  }
  return min;
}

/** True if both sizes are equal, apart from the time of observation. */
export const isSameSize = (a: LearnedSize, b: LearnedSize): boolean =>
  isSame(a.capacity, b.capacity) && isSame(a.allocatable, b.allocatable);

const isSame = (a: Resources, b: Resources): boolean =>
  Object.keys({ ...a, ...b }).every((key) => ownValue(a, key) === ownValue(b, key));

/** Formats a key that is equal for nodes of the same image, type and setup. */
export const sizeKey = ({
  imageId,
  instanceType,
  setup,
}: Pick<LearnedSize, 'imageId' | 'instanceType' | 'setup'>): string => [imageId, instanceType, setup].join('#');

/**
 * Bounds of a reported amount, as a share of the estimate. Firmware and image change memory by a few
 * percent; disks and pod limits depend on more that is not known in advance.
 */
const PLAUSIBLE_SHARES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  cpu: [0.5, 1],
  memory: [0.5, 1.25],
  pods: [0.1, 10],
  'ephemeral-storage': [0.1, 10],
};

/**
 * True if nodes of this type can have the size. A table of learned sizes may be shared, so that a
 * wrong value of another cluster must not make nodes look much larger or smaller than they are.
 */
export function isPlausibleSize(
  { capacity: estimate }: Pick<InstanceType, 'capacity'>,
  { capacity, allocatable }: Pick<LearnedSize, 'capacity' | 'allocatable'>,
): boolean {
  return Object.entries(PLAUSIBLE_SHARES).every(([resource, [min, max]]) => {
    const expected = ownValue(estimate, resource);
    if (expected === undefined) return true;
    const whole = ownValue(capacity, resource) ?? expected;
    // No lower bound: reservations of the kubelet may take nearly all of a small node.
    const usable = ownValue(allocatable, resource) ?? 0;
    const limit = max * expected;
    return whole >= min * expected && whole <= limit && usable >= 0 && usable <= limit;
  });
}

/** Returns the type with the amounts that nodes have reported. */
export const withSize = (
  type: InstanceType,
  { capacity, allocatable }: Pick<LearnedSize, 'capacity' | 'allocatable'>,
): InstanceType => ({
  ...type,
  capacity: { ...type.capacity, ...capacity },
  allocatable: { ...type.allocatable, ...allocatable },
  isLearned: true,
});
