import type { Funnel, PoolRefusal } from '../../shared/model/plans.ts';

const STEPS: readonly (keyof Funnel)[] = [
  'withinLimits',
  'available',
  'fitting',
  'allowedByPod',
  'allowedByPool',
];

/** How many conditions a pool's offerings passed before none was left. */
const progress = ({ funnel }: PoolRefusal): number =>
  funnel ? STEPS.length - STEPS.findIndex((step) => funnel[step] > 0) : -1;

/** The pool that came closest to holding the pods: the one worth naming first. */
export const nearestRefusal = (pools: readonly PoolRefusal[]): PoolRefusal | undefined =>
  byNearness(pools)[0];

export const byNearness = (pools: readonly PoolRefusal[]): readonly PoolRefusal[] =>
  pools.toSorted((a, b) => reached(b) - reached(a) || (a.pool < b.pool ? -1 : 1));

const reached = (refusal: PoolRefusal): number => {
  const steps = progress(refusal);
  // Nothing left even after the first step: `findIndex` found none.
  return steps > STEPS.length ? 0 : steps;
};
