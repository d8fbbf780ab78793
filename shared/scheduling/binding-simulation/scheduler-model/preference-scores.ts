import { at } from '../../data-structures/resource-vectors.ts';
import type { Counted, Part } from './pod-class-model.ts';
import type { Stage } from './simulated-cluster.ts';
import type { Counts } from './topology-filters.ts';

/** Weights of kube-scheduler's plugins. @see its default profile */
const TAINT_WEIGHT = 3;
const NODE_AFFINITY_WEIGHT = 2;
const SPREAD_WEIGHT = 2;
const COMPANY_WEIGHT = 2;

/** Whether nothing but room moves the scores of hosts for pods of the part. */
export const likesAllAlike = ({ liking }: Stage, { number, softSpreads, near }: Part): boolean =>
  !liking[number] && softSpreads.length === 0 && near.length === 0;

/**
 * What kube-scheduler adds to the score of each host for what the next pod would like. Likings are
 * measured against the best and the worst of the hosts that can take the pod.
 *
 * @param open - those hosts
 * @returns by host
 */
export function preferences(
  { hosts, liking: likings }: Stage,
  counts: Counts,
  { number, softSpreads, near }: Part,
  open: readonly number[],
): Float64Array {
  const extra = new Float64Array(hosts.length);
  const add = (weight: number, values: Float64Array) =>
    open.forEach((host, index) => {
      extra[host] = at(extra, host) + weight * at(values, index);
    });
  const liking = likings[number];
  if (liking) {
    add(
      -TAINT_WEIGHT,
      inPercent(open, (host) => liking[host]?.disliked ?? 0),
    );
    add(
      NODE_AFFINITY_WEIGHT,
      inPercent(open, (host) => liking[host]?.wished ?? 0),
    );
  }
  if (softSpreads.length > 0) add(SPREAD_WEIGHT, lonelier(counts, softSpreads, open));
  if (near.length > 0) add(COMPANY_WEIGHT, company(counts, near, open));
  return extra;
}

function inPercent(open: readonly number[], likingOf: (host: number) => number): Float64Array {
  const values = Float64Array.from(open, likingOf);
  const most = largest(values, 0);
  return values.map((value) => (most === 0 ? 0 : Math.floor((100 * value) / most)));
}

/** PodTopologySpread: the fewer pods of their kind, the better. */
function lonelier(
  { tallies, counts }: Counts,
  spreads: readonly Counted[],
  open: readonly number[],
): Float64Array {
  const crowds = new Float64Array(open.length);
  for (const { number, rule } of spreads) {
    const { domainOf } = tallies[number] ?? {};
    const here = counts[number];
    if (!domainOf || !here) continue;
    const weight = Math.log(domainsOf(open, domainOf, here.length) + 2);
    open.forEach((host, index) => {
      const domain = domainOf[host] ?? -1;
      const crowd = domain < 0 ? NOWHERE : (here[domain] ?? 0) * weight + rule.maxSkew - 1;
      crowds[index] = at(crowds, index) + crowd;
    });
  }
  const rounded = crowds.map(Math.round);
  const known = rounded.filter((crowd) => crowd < Infinity);
  const most = largest(known, 0);
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  return rounded.map((crowd) => {
    if (crowd === Infinity) return 0;
    return most === 0 ? 100 : Math.floor((100 * (most + least - crowd)) / most);
  });
}

/** A host without the label of some spread. */
const NOWHERE = Infinity;

function domainsOf(open: readonly number[], domainOf: Int32Array, most: number): number {
  const isSeen = new Uint8Array(most);
  let seen = 0;
  for (const host of open) {
    const domain = domainOf[host] ?? -1;
    if (domain < 0 || isSeen[domain] === 1) continue;
    isSeen[domain] = 1;
    seen += 1;
  }
  return seen;
}

/** InterPodAffinity: whom the pod likes, and who likes the pod. */
function company(
  { tallies, counts, owners }: Counts,
  near: Part['near'],
  open: readonly number[],
): Float64Array {
  const sums = new Float64Array(open.length);
  for (const { counted, weight, by } of near) {
    const { domainOf } = tallies[counted.number] ?? {};
    const amounts = (by === 'owners' ? owners : counts)[counted.number];
    if (!domainOf || !amounts) continue;
    open.forEach((host, index) => {
      sums[index] = at(sums, index) + weight * (amounts[domainOf[host] ?? -1] ?? 0);
    });
  }
  const least = sums.reduce((a, b) => Math.min(a, b), Infinity);
  const range = largest(sums, -Infinity) - least;
  return sums.map((sum) => (range === 0 ? 0 : Math.floor((100 * (sum - least)) / range)));
}

const largest = (values: Float64Array, atLeast: number): number =>
  values.reduce((a, b) => Math.max(a, b), atLeast);
