/**
 * Caches, and why their key is an object's identity.
 *
 * A plan is computed from a snapshot of the whole cluster, with all its pods, nodes and offerings,
 * and computed again for every batch of pods. Little changes between two plans, so what was derived
 * from the unchanged part must be found again without looking at all of it. Comparing contents, or
 * hashing them to a text, would cost as much as deriving the result again.
 *
 * Three properties of the code base make object identity a correct key:
 *
 * 1. Snapshots are immutable. Every field is `readonly`, and a change makes a new object. An object
 *    that is seen again therefore still has the contents that the cached result was derived from.
 * 2. Unchanged things stay the same objects. The watch caches replace only the objects that an event
 *    names, the catalogue hands out one list per NodeClass, and readers of pod templates share equal
 *    specs. Functions that adjust a list or a spec return the given object if nothing changed, and
 *    otherwise cache the changed copy by the original, so that the chain does not break. This is why
 *    a function such as `resolveZoneIds` caches at all.
 * 3. Caches are `WeakMap`s. An entry goes with its key, so that no cache needs a size, an expiry or
 *    an invalidation, and a cache at module level holds nothing back from the garbage collector.
 *
 * What a miss costs: a caller that copies its input (`{ ...pod }`, `[...offerings]`) gets correct
 * results, computed afresh each time. So a copy on a hot path shows up as a slow plan, never as a
 * wrong one. The reverse mistake, changing an object in place, gives wrong results; `readonly` types
 * prevent it.
 *
 * If a result depends on several inputs, the one that changes most rarely is the outer key (an
 * object, in a `WeakMap`) and the others are inner keys: an object again, or a text that names all
 * that the result depends on (`getOrCreate(getOrCreate(byList, types, () => new Map()), key, ...)`).
 * A result must never depend on anything that is not part of the key, in particular not on the time.
 */

/** The part of `Map` and `WeakMap` that caches use. */
interface Cache<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/**
 * Returns the value of `key`, after adding the one that `make` returns if there is none.
 *
 * A map keeps the order of first insertion. If `make` throws, the map stays as it is.
 */
export function getOrCreate<K, V>(map: Cache<K, V>, key: K, make: (key: K) => NoInfer<V>): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = make(key);
  map.set(key, created);
  return created;
}

/** Returns `compute` with a cache: the result is computed once for each object, by its identity. */
export const memoize = <Key extends object, Result>(compute: (key: Key) => Result): ((key: Key) => Result) =>
  memoizeBy((key) => key, compute);

/**
 * Returns `compute` with a cache whose key is a part of the input. `undefined` is cached as well.
 *
 * @param keyOf - selects the object that stands for all that the result depends on
 */
export function memoizeBy<Input, Key extends object, Result>(
  keyOf: (input: Input) => Key,
  compute: (input: Input) => Result,
): (input: Input) => Result {
  const results = new WeakMap<Key, { readonly result: Result }>();
  return (input) => getOrCreate(results, keyOf(input), () => ({ result: compute(input) })).result;
}

/** Returns a function that calls `make` on its first call and returns that result ever after, `undefined` included. */
export function onFirstUse<T>(make: () => T): () => T {
  let made: { readonly result: T } | undefined;
  return () => {
    made ??= { result: make() };
    return made.result;
  };
}
