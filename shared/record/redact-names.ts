import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';

/** Returns the value with hashes instead of names; what has no name stays the same object. */
export type RedactNames = <T>(value: T) => T;

/**
 * Returns a function that replaces names in the input and the plan of a decision: it puts hashes in the place of the names of pods, namespaces, workloads, volumes,
 * Services and nodes, and instead of the values of pod labels. NodePools, NodeClaims, EC2NodeClasses
 * and everything that EC2 names stay readable. Equal names get equal hashes, so selectors still
 * match; a decision on the result may break ties otherwise, so it has to be made again.
 *
 * @param hash - returns a valid label value that does not reveal the name
 */
export function createNameRedaction(
  snapshot: ClusterSnapshot,
  hash: (name: string) => string,
): RedactNames {
  const kept = listKeptNames(snapshot);
  const names = new Map<string, string>();
  for (const name of listNames(snapshot)) {
    if (name !== '' && !kept.has(name) && !names.has(name)) names.set(name, hash(name));
  }
  const redactWord = (text: string): string => names.get(text) ?? redactPath(text, names);
  const redactText = (text: string): string =>
    text.includes(' ') ? text.split(BETWEEN_WORDS).map(redactWord).join('') : redactWord(text);
  return (value) => mapStrings(value, redactText);
}

/** Sentences, for example about a drain that waits, contain names. */
const BETWEEN_WORDS = /([ ,;:()]+)/;

/** Redacts `namespace/name` if both parts are names. */
function redactPath(text: string, names: ReadonlyMap<string, string>): string {
  const at = text.indexOf('/');
  if (at < 0) return text;
  const [namespace, name] = [names.get(text.slice(0, at)), names.get(text.slice(at + 1))];
  return namespace === undefined || name === undefined ? text : `${namespace}/${name}`;
}

function* listNames(snapshot: ClusterSnapshot): Iterable<string> {
  const { pods, nodes, daemonSets, podDisruptionBudgets, services = [], owners = [] } = snapshot;
  const { storage, namespaces, quotas = [] } = snapshot;
  for (const { name, namespace, owner, labels, spec } of pods) {
    yield* [name, namespace, ...(owner ? [owner.name] : [])];
    yield* [...Object.values(labels), ...spec.volumeClaims];
  }
  for (const { name } of nodes) yield name;
  for (const { name, namespace, template } of daemonSets) {
    yield* [name, namespace, ...Object.values(template.labels)];
  }
  for (const { name, namespace } of [...podDisruptionBudgets, ...services, ...owners, ...quotas]) {
    yield* [name, namespace];
  }
  for (const { name, namespace } of storage?.claims ?? []) yield* [name, namespace];
  for (const { name } of storage?.volumes ?? []) yield name;
  yield* Object.keys(namespaces);
}

/** Names that decisions compare with more than other names. */
function listKeptNames(snapshot: ClusterSnapshot): ReadonlySet<string> {
  const { pools, claims, instanceTypes, offerings } = snapshot;
  return new Set([
    ...KEPT_WORDS,
    ...pools.flatMap(({ name, nodeClass, labels, requirements }) => [
      ...[name, nodeClass.name, ...Object.values(labels)],
      ...requirements.flatMap(({ values = [] }) => values),
    ]),
    ...claims.map(({ name }) => name),
    ...Object.values(instanceTypes).flatMap((types) =>
      types.flatMap(({ name, labels }) => [name, ...Object.values(labels)]),
    ),
    ...offerings.flatMap(({ zone, capacityType }) => [zone, capacityType]),
  ]);
}

/** Words of the API that could also be names. */
const KEPT_WORDS: readonly string[] = [
  ...['true', 'false', 'linux', 'windows', 'amd64', 'arm64', 'spot', 'on-demand', 'reserved'],
  ...['provisioning', 'disruption', 'at-once', 'one-by-one', 'launch', 'remove', 'TCP', 'UDP'],
];

/**
 * Replaces the strings in a value, and the keys of its objects. Parts without a change stay the same
 * objects: a catalogue that is recorded with every decision is then written once.
 */
function mapStrings<T>(value: T, change: (text: string) => string): T;
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const mapped = list.map((one) => mapStrings(one, change));
    return mapped.every((one, index) => one === list[index]) ? list : mapped;
  }
  let isSame = true;
  const mapped = Object.entries(value).map(([key, one]): [string, unknown] => {
    const entry: [string, unknown] = [change(key), mapStrings(one, change)];
    if (entry[0] !== key || entry[1] !== one) isSame = false;
    return entry;
  });
  return isSame ? value : Object.fromEntries(mapped);
}
