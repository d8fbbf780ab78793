/**
 * Amounts by resource name: `cpu` in millicores, everything else in whole units (bytes, counts),
 * rounded up from what was written, as kube-scheduler does. An absent resource is 0.
 */
export type Resources = Readonly<Record<string, number>>;

export const CPU = 'cpu';
export const MEMORY = 'memory';
export const PODS = 'pods';
export const EPHEMERAL_STORAGE = 'ephemeral-storage';
/** Karpenter's pseudo resource in NodePool limits: the number of nodes. */
export const NODES = 'nodes';

export const NO_RESOURCES: Resources = Object.freeze({});

export const MIB = 1024 * 1024;
export const GIB = 1024 * MIB;

/** Sum per resource. */
export function addResources(...all: readonly Resources[]): Resources {
  const sum: Record<string, number> = {};
  for (const resources of all) {
    for (const name in resources) sum[name] = (sum[name] ?? 0) + (resources[name] ?? 0);
  }
  return sum;
}

/** `left` minus `right` per resource; may be negative. */
export function subtractResources(left: Resources, right: Resources): Resources {
  const rest: Record<string, number> = { ...left };
  for (const name in right) rest[name] = (rest[name] ?? 0) - (right[name] ?? 0);
  return rest;
}

/** The larger amount per resource. */
export function maxResources(left: Resources, right: Resources): Resources {
  const most: Record<string, number> = { ...left };
  for (const name in right) most[name] = Math.max(most[name] ?? 0, right[name] ?? 0);
  return most;
}

/** The smaller amount per resource; what only one side names is 0 and left out. */
export function minResources(left: Resources, right: Resources): Resources {
  const least: Record<string, number> = {};
  for (const name in left) {
    const amount = Math.min(left[name] ?? 0, right[name] ?? 0);
    if (amount !== 0) least[name] = amount;
  }
  return least;
}
