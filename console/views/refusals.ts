import type { Funnel, PoolRefusal } from '../../shared/model/plans.ts';

const STEPS: readonly (keyof Funnel)[] = [
  'withinLimits',
  'available',
  'fitting',
  'allowedByPod',
  'allowedByPool',
];

/** Counts the conditions that a pool's offerings met before none was left. */
const progress = ({ funnel }: PoolRefusal): number =>
  funnel ? STEPS.length - STEPS.findIndex((step) => funnel[step] > 0) : -1;

/** Finds the pool that came closest to running the pods. */
export const nearestRefusal = (pools: readonly PoolRefusal[]): PoolRefusal | undefined =>
  byNearness(pools)[0];

export const byNearness = (pools: readonly PoolRefusal[]): readonly PoolRefusal[] =>
  pools.toSorted((a, b) => reached(b) - reached(a) || (a.pool < b.pool ? -1 : 1));

const reached = (refusal: PoolRefusal): number => {
  const steps = progress(refusal);
  // `findIndex` found none: no offering was left after the first condition.
  return steps > STEPS.length ? 0 : steps;
};
