import { ownValue } from '../../model/own-value.ts';
import type { Resources } from '../../model/resources.ts';

/** Amounts of resources by column of a `ResourceColumns`. */
export type Vector = Float64Array;

/** Gives each resource name a column, so that packing adds numbers instead of maps. */
export interface ResourceColumns {
  readonly names: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Vectors that were already computed, by the resources they were computed from. */
  readonly cachedVectors: WeakMap<Resources, Vector>;
}

/** Creates the columns of `first`, in its order, followed by the names that are new in `more`. */
export function createResourceColumns(first: readonly string[], more: Iterable<string> = []): ResourceColumns {
  const indexOf = new Map<string, number>();
  for (const name of first) if (!indexOf.has(name)) indexOf.set(name, indexOf.size);
  for (const name of more) if (!indexOf.has(name)) indexOf.set(name, indexOf.size);
  return { names: [...indexOf.keys()], indexOf, cachedVectors: new WeakMap() };
}

/**
 * Converts resources to a vector; resources without a column are left out. Vectors are cached,
 * because thousands of pods share one template: copy a vector before changing it.
 */
export function toVector({ indexOf, cachedVectors }: ResourceColumns, resources: Resources): Vector {
  const cached = cachedVectors.get(resources);
  if (cached) return cached;
  const vector = new Float64Array(indexOf.size);
  cachedVectors.set(resources, vector);
  for (const name in resources) {
    const column = indexOf.get(name);
    if (column !== undefined) vector[column] = ownValue(resources, name) ?? 0;
  }
  return vector;
}

export function vectorToResources({ names }: ResourceColumns, vector: Vector): Resources {
  const resources: Record<string, number> = {};
  names.forEach((name, column) => {
    const amount = at(vector, column);
    if (amount !== 0) resources[name] = amount;
  });
  return resources;
}

/**
 * Reads a column; columns beyond the end of the vector are 0. A single read past the end of a typed
 * array would make V8 box every number that is read here from then on.
 */
export const at = (vector: Vector, column: number): number => (column < vector.length ? (vector[column] ?? 0) : 0);

export function addTimes(target: Vector, vector: Vector, times: number): void {
  for (let column = 0; column < target.length; column++) {
    target[column] = at(target, column) + at(vector, column) * times;
  }
}

export function sum(a: Vector, b: Vector): Vector {
  const total = a.slice();
  addTimes(total, b, 1);
  return total;
}

/** Lists the columns whose amount is not 0. */
export function listRequestedColumns(request: Vector): number[] {
  const columns: number[] = [];
  for (let column = 0; column < request.length; column++) if (at(request, column) > 0) columns.push(column);
  return columns;
}

/**
 * @param requestedColumns - the columns of `request` that are not 0
 */
export function hasRoom(free: Vector, request: Vector, requestedColumns: readonly number[]): boolean {
  for (const column of requestedColumns) if (at(request, column) > at(free, column)) return false;
  return true;
}

/** Returns how many times `request` fits into `free`; 0 if `free` is negative. */
export function countFits(request: Vector, free: Vector): number {
  let times = Number.MAX_SAFE_INTEGER;
  for (let column = 0; column < request.length; column++) {
    const requested = at(request, column);
    if (requested > 0) times = Math.min(times, Math.floor(at(free, column) / requested));
  }
  return Math.max(0, times);
}
