import type { Counts } from './gates.ts';
import type { Role, Tally } from './stage.ts';

/** Weights of kube-scheduler's plugins. @see its default profile */
const TAINT_WEIGHT = 3;
const NODE_AFFINITY_WEIGHT = 2;
const SPREAD_WEIGHT = 2;
const COMPANY_WEIGHT = 2;

/**
 * What kube-scheduler adds to the score of each host for what the next pod would like; undefined
 * where it has no likings. Likings are measured against the best and the
 * worst of the hosts that can take the pod.
 */
export function preferences(
  state: Counts,
  role: Role,
  feasibleHosts: () => readonly number[],
): Float64Array | undefined {
  const { liking, softSpreads, near, opening } = role;
  if (!liking && softSpreads.length === 0 && near.length === 0) return undefined;
  const open = feasibleHosts();
  const extra = new Float64Array(opening.length);
  const add = (weight: number, values: readonly number[]) =>
    open.forEach((host, index) => {
      extra[host] = (extra[host] ?? 0) + weight * (values[index] ?? 0);
    });
  if (liking) {
    const liked = open.map((host) => liking[host]);
    add(-TAINT_WEIGHT, inPercent(liked.map((one) => one?.disliked ?? 0)));
    add(NODE_AFFINITY_WEIGHT, inPercent(liked.map((one) => one?.wished ?? 0)));
  }
  if (softSpreads.length > 0) add(SPREAD_WEIGHT, lonelier(state, softSpreads, open));
  if (near.length > 0) add(COMPANY_WEIGHT, company(state, near, open));
  return extra;
}

function inPercent(values: readonly number[]): number[] {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  return values.map((value) => (most === 0 ? 0 : Math.floor((100 * value) / most)));
}

/** PodTopologySpread: the fewer pods of their kind, the better. */
function lonelier(
  { counts }: Counts,
  spreads: readonly Tally[],
  open: readonly number[],
): number[] {
  const crowds: (number | undefined)[] = open.map(() => 0);
  for (const { domainOf, number, rule } of spreads) {
    const domains = open.map((host) => domainOf[host] ?? -1);
    const weight = Math.log(new Set(domains.filter((domain) => domain >= 0)).size + 2);
    domains.forEach((domain, index) => {
      const crowd = crowds[index];
      const here = counts[number]?.[domain] ?? 0;
      crowds[index] =
        crowd === undefined || domain < 0 ? undefined : crowd + here * weight + rule.maxSkew - 1;
    });
  }
  const rounded = crowds.map((crowd) => (crowd === undefined ? undefined : Math.round(crowd)));
  const known = rounded.filter((crowd) => crowd !== undefined);
  const most = known.reduce((a, b) => Math.max(a, b), 0);
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  return rounded.map((crowd) => {
    if (crowd === undefined) return 0;
    return most === 0 ? 100 : Math.floor((100 * (most + least - crowd)) / most);
  });
}

/** InterPodAffinity: whom the pod likes, and who likes the pod. */
function company(
  { counts, owners }: Counts,
  near: Role['near'],
  open: readonly number[],
): number[] {
  const sums = open.map((host) =>
    near.reduce((sum, { tally, weight, by }) => {
      const domain = tally.domainOf[host] ?? -1;
      const amounts = by === 'owners' ? owners : counts;
      return sum + weight * (amounts[tally.number]?.[domain] ?? 0);
    }, 0),
  );
  const least = sums.reduce((a, b) => Math.min(a, b), Infinity);
  const range = sums.reduce((a, b) => Math.max(a, b), -Infinity) - least;
  return sums.map((sum) => (range === 0 ? 0 : Math.floor((100 * (sum - least)) / range)));
}
