import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { getOrCreate } from '../model/memo.ts';
import type { Pod } from '../model/pods/pod.ts';
import { collectKeptWords, SELECTOR_WORDS } from './kept-words.ts';

/** Returns the value with hashes instead of names; what has no name stays the same object. */
export type RedactNames = <T>(value: T) => T;

/**
 * Returns a function that replaces names in the input and the plan of a decision. It hashes every string
 * that is not on the list of `kept-words.ts`: a field that a later release adds is redacted as well.
 *
 * Equal names get equal hashes, and a text that consists of several names gets their hashes:
 * `namespace/name` stays the key of its pod, and selectors still match. A decision on the result may
 * break ties otherwise, so it has to be made again.
 *
 * @param hash - returns a word that does not reveal the name, and is valid as a label value, a DNS label
 *   and an identifier
 */
export function createNameRedaction(snapshot: ClusterSnapshot, hash: (name: string) => string): RedactNames {
  const { isKept, isKeptInSentence } = collectKeptWords(snapshot);
  const hashes = new Map<string, string>();
  const redactName = (name: string): string => (isKept(name) ? name : getOrCreate(hashes, name, () => hash(name)));
  const composed = composeNames(snapshot.pods, redactName);

  const redactPart = (part: string): string => composed.get(part) ?? redactName(part);
  const redactText = (text: string): string => {
    if (isKept(text)) return text;
    if (DEVICE_SELECTOR.test(text)) return redactSelector(text);
    if (!SPACE.test(text)) return changeParts(text, BETWEEN_NAMES, redactPart);
    return changeParts(text, BETWEEN_WORDS, (part) => (isKeptInSentence(part) ? part : redactPart(part)));
  };
  const redactSelector = (text: string): string =>
    text.replaceAll(SELECTOR_TOKEN, (token, literal?: string) => {
      if (literal !== undefined) return `"${redactText(literal)}"`;
      return SELECTOR_WORDS.has(token) ? token : redactPart(token);
    });
  const texts = new Map<string, string>();
  return (value) => mapStrings(value, (text) => getOrCreate(texts, text, () => redactText(text)));
}

const changeParts = (text: string, between: RegExp, change: (part: string) => string): string =>
  text
    .split(between)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');

const SPACE = /\s/;
/** A CEL expression, with names of drivers and attributes. */
const DEVICE_SELECTOR = /\bdevice\.(?:driver|attributes|capacity|allowMultipleAllocations)\b/;
/** A text in quotes, or a word. */
const SELECTOR_TOKEN = /"([^"]*)"|[^\s!"#$%&()*+,\-./:;<=>?@[\\\]^`{|}~]+/g;
/** ASCII that no name contains. Everything else, also other letters, is part of a name. */
const BETWEEN_NAMES = /([!"#$%&'()*+,/:;<=>?@[\\\]^`{|}~]+)/;
/** The same in sentences, which end with a full stop. */
const BETWEEN_WORDS = /((?:[\s!"#$%&'()*+,/:;<=>?@[\\\]^`{|}~]|\.(?![A-Za-z0-9]))+)/;

/**
 * Finds names that contain other names, which decisions compare: the Deployment in the name of its
 * ReplicaSet, the pod in the names of its volume claims, and the StatefulSet in the name of its pod.
 */
function composeNames(pods: readonly Pod[], redactName: (name: string) => string): ReadonlyMap<string, string> {
  const composed = new Map<string, string>();
  const compose = (name: string, first: string, last: string): void => {
    composed.set(name, `${redactName(first)}-${redactName(last)}`);
  };
  for (const { name, owner, labels, spec } of pods) {
    const revision = labels['pod-template-hash'];
    if (owner?.kind === 'ReplicaSet' && revision && owner.name.endsWith(`-${revision}`))
      compose(owner.name, owner.name.slice(0, -revision.length - 1), revision);
    for (const { name: volume } of spec.ephemeralVolumes ?? []) compose(`${name}-${volume}`, name, volume);
    for (const claim of spec.volumeClaims)
      if (claim.endsWith(`-${name}`)) compose(claim, claim.slice(0, -name.length - 1), name);
  }
  return composed;
}

/**
 * Replaces the strings in a value, and the keys of its objects. Parts without a change stay the same
 * objects, and parts that are shared stay shared: a catalogue that is recorded with every decision is
 * then written once.
 */
function mapStrings<T>(value: T, change: (text: string) => string, done?: WeakMap<object, unknown>): T;
function mapStrings(value: unknown, change: (text: string) => string, done = new WeakMap<object, unknown>()): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  return getOrCreate(done, value, () => mapContainer(value, change, done));
}

function mapContainer(value: object, change: (text: string) => string, done: WeakMap<object, unknown>): unknown {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const mapped = list.map((one) => mapStrings(one, change, done));
    return mapped.every((one, index) => one === list[index]) ? list : mapped;
  }
  let isSame = true;
  const mapped = Object.entries(value).map(([key, one]): [string, unknown] => {
    const entry: [string, unknown] = [change(key), mapStrings(one, change, done)];
    if (entry[0] !== key || entry[1] !== one) isSame = false;
    return entry;
  });
  return isSame ? value : Object.fromEntries(mapped);
}
