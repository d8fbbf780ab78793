import { ownValue } from './own-value.ts';
/**
 * Amounts by resource name: millicores for `cpu`, whole units (bytes, counts) for everything else,
 * rounded up like in kube-scheduler. A resource that is absent is 0.
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

/** Converts millicores to cores, as metrics show them; other amounts stay as they are. */
export const toBaseUnits = (resource: string, amount: number): number => (resource === CPU ? amount / 1000 : amount);

/** Adds the amounts of each resource. */
export function addResources(...all: readonly Resources[]): Resources {
  const sum: Record<string, number> = {};
  for (const resources of all) {
    for (const name in resources) sum[name] = (ownValue(sum, name) ?? 0) + (ownValue(resources, name) ?? 0);
  }
  return sum;
}

/** Subtracts `amounts` from `total`; amounts may become negative. */
export function subtractResources(total: Resources, amounts: Resources): Resources {
  const rest: Record<string, number> = { ...total };
  for (const name in amounts) rest[name] = (ownValue(rest, name) ?? 0) - (ownValue(amounts, name) ?? 0);
  return rest;
}

/** Takes the larger amount of each resource. */
export function maxResources(a: Resources, b: Resources): Resources {
  const max: Record<string, number> = { ...a };
  for (const name in b) max[name] = Math.max(ownValue(max, name) ?? 0, ownValue(b, name) ?? 0);
  return max;
}

/** Takes the smaller amount of each resource; amounts of 0 are left out. */
export function minResources(a: Resources, b: Resources): Resources {
  const min: Record<string, number> = {};
  for (const name in a) {
    const amount = Math.min(ownValue(a, name) ?? 0, ownValue(b, name) ?? 0);
    if (amount !== 0) min[name] = amount;
  }
  return min;
}
