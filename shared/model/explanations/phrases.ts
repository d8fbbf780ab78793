import { formatDuration } from '../duration.ts';
import type { NodeClaim } from '../nodes/node-claim.ts';
import type { Pod, PodKey } from '../pods/pod.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time.ts';

/**
 * Formats one pod as `shop/cart-0` and several pods with a common name as `3 pods of shop/cart`.
 */
export function formatPods(pods: readonly PodKey[]): string {
  const [first = '', ...others] = pods;
  if (others.length === 0) return first;
  const workload = findCommonName(pods);
  return workload ? `${pods.length} pods of ${workload}` : `${pods.length} pods`;
}

// The hash of a ReplicaSet, which means nothing to readers. Kubernetes uses only these letters and
// digits.
const REPLICA_SET_HASH = /-[bcdfghjklmnpqrstvwxz2456789]{6,10}$/;

function findCommonName(pods: readonly PodKey[]): string | undefined {
  const names = pods.map((pod) => pod.slice(0, pod.lastIndexOf('-')).replace(REPLICA_SET_HASH, ''));
  return names.every((name) => name === names[0]) ? names[0] : undefined;
}

/** Formats at most `maxCount` of the texts: `a, b, c and 4 more`. */
export function formatFirst(texts: readonly string[], maxCount: number, separator = ', '): string {
  const first = texts.slice(0, maxCount).join(separator);
  return texts.length > maxCount ? `${first} and ${texts.length - maxCount} more` : first;
}

/** The same for parts of sentences: `a; b; and 4 more`. */
export const formatParts = (texts: readonly string[], maxCount: number): string =>
  [...texts.slice(0, maxCount), ...(texts.length > maxCount ? [`and ${texts.length - maxCount} more`] : [])].join('; ');

/** Formats names as `a`, `a and b` or `a, b and 4 more`. */
export function formatNames(names: readonly string[]): string {
  const [first = '', second = '', ...others] = names;
  if (names.length < 3) return names.join(' and ');
  return others.length === 1 ? `${first}, ${second} and ${others[0]}` : `${first}, ${second} and ${others.length} more`;
}

/** Formats what the deletion of a pod waits for; `undefined` if only for the end of its grace period. */
export const formatAwaitedFinalizers = ({
  awaitedFinalizers = [],
}: Pick<Pod, 'awaitedFinalizers'>): string | undefined =>
  awaitedFinalizers.length === 0
    ? undefined
    : `finalizer${awaitedFinalizers.length === 1 ? '' : 's'} ${formatNames(awaitedFinalizers)}`;

/** Rounds to the nearest second, so that a short delay does not turn 2 min into 1 min 59 s. */
export const formatToSecond = (ms: number): string => formatDuration(Math.round(ms / SECOND_MS) * SECOND_MS);

export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const formatCpu = (milli: number): string => `${Math.round(milli / 10) / 100}`;

export const formatUsd = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 4 : 3)}`;

/** Formats a price; 0 is an unknown one. */
export const formatHourlyUsd = (usd: number, digits?: number): string =>
  usd === 0 ? 'not priced' : `${digits === undefined ? formatUsd(usd) : `$${usd.toFixed(digits)}`}/h`;

export const toSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Formats a time as `14:33`, or with seconds as `14:32:18`. */
export function formatClock(at: EpochMs, precision: 'minutes' | 'seconds' = 'minutes'): string {
  const ofDay = at % DAY_MS;
  const parts = [ofDay / HOUR_MS, (ofDay % HOUR_MS) / MINUTE_MS, (ofDay % MINUTE_MS) / SECOND_MS];
  return parts
    .slice(0, precision === 'seconds' ? 3 : 2)
    .map((part) => `${Math.floor(part)}`.padStart(2, '0'))
    .join(':');
}

/** Formats why a node is removed, and the object whose deletion requested it: `Requested: its Node was deleted`. */
export function formatRemoval({
  removal = 'Requested',
  requestedBy,
  interruption,
}: Pick<NodeClaim, 'removal' | 'requestedBy' | 'interruption'>): string {
  if (interruption !== undefined) return `${removal} (${interruption})`;
  if (removal !== 'Requested' || requestedBy === undefined) return removal;
  return requestedBy === 'NodeClaim'
    ? `${removal}: the NodeClaim was deleted`
    : `${removal}: its ${requestedBy} was deleted`;
}
