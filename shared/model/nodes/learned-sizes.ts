import type { InstanceType } from '../offerings/instance-type.ts';
import type { Resources } from '../resources.ts';
import { DAY_MS } from '../time.ts';
import type { Node } from './node.ts';
import type { Launch } from './node-claim.ts';

/** What a type turned out to have on nodes of one image: of several nodes, the least. */
export interface LearnedSize {
  readonly instanceType: string;
  readonly imageId: string;
  /** Of all else that decides what pods can use of a node: see `Launch.setup`. */
  readonly setup: string;
  /** As the kubelet counts it; memory alone, for the rest is known beforehand. */
  readonly capacity: Resources;
  /** What pods can use. */
  readonly allocatable: Resources;
}

/** So long after the last node a size is forgotten: images live shorter. */
export const SIZE_KEPT_MS = 60 * DAY_MS;

/** Resources that every kubelet tells of; those of device plugins come later, and are known anyway. */
const LEARNED_RESOURCES = ['cpu', 'memory', 'ephemeral-storage', 'pods'] as const;

/**
 * What a Node says about nodes like it. Zero is not known yet: the kubelet fills in its disk late.
 *
 * @returns absent: nobody knows what the node was made of, or the Node says nothing
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
      const amount = resources[key];
      return amount ? [[key, amount]] : [];
    }),
  );

/** The smaller of both in everything, so that no node is smaller than what is remembered. */
export const minSize = (known: LearnedSize, observed: LearnedSize): LearnedSize => ({
  ...observed,
  capacity: minAmounts(known.capacity, observed.capacity),
  allocatable: minAmounts(known.allocatable, observed.allocatable),
});

function minAmounts(a: Resources, b: Resources): Resources {
  const least: Record<string, number> = { ...a };
  for (const [key, amount] of Object.entries(b)) {
    least[key] = Math.min(least[key] ?? Number.POSITIVE_INFINITY, amount);
  }
  return least;
}

/** Whether both say the same, but for when it was seen. */
export const isSameSize = (a: LearnedSize, b: LearnedSize): boolean =>
  isSame(a.capacity, b.capacity) && isSame(a.allocatable, b.allocatable);

const isSame = (a: Resources, b: Resources): boolean =>
  Object.keys({ ...a, ...b }).every((key) => a[key] === b[key]);

/** Equal for nodes that are alike. */
export const sizeKey = ({
  imageId,
  instanceType,
  setup,
}: Pick<LearnedSize, 'imageId' | 'instanceType' | 'setup'>): string =>
  [imageId, instanceType, setup].join('#');

/** The type as nodes have shown it to be. */
export const withSize = (
  type: InstanceType,
  { capacity, allocatable }: Pick<LearnedSize, 'capacity' | 'allocatable'>,
): InstanceType => ({
  ...type,
  capacity: { ...type.capacity, ...capacity },
  allocatable: { ...type.allocatable, ...allocatable },
  isLearned: true,
});
