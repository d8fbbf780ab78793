import { NODEPOOL_LABEL } from '../labels.ts';
import { NODE_CLASS_UNKNOWN } from '../nodes/node-class.ts';
import type { Funnel, PoolRefusal } from '../plans.ts';
import { type EpochMs, parseInstant, SECOND_MS } from '../time.ts';
import { formatReason, type ReasonCode } from './reasons.ts';

/*
 * Why the NodePools refuse a pod, in one order for Events, logs, the command and the page: the NodePool that
 * comes closest first. NodePools that the pod's own selector excludes are only counted.
 */

const STEPS: readonly (keyof Funnel)[] = ['withinLimits', 'available', 'fitting', 'allowedByPod', 'allowedByPool'];

/** Refusals before any offering was counted, the closest first. */
const EARLY: readonly (ReasonCode | undefined)[] = [
  'requirement-conflict',
  'unknown-label',
  'pool-not-ready',
  'pool-has-no-types',
  'taint-not-tolerated',
];

/** Counts the conditions that a pool's offerings met before none was left. */
function countSteps({ funnel, reasons }: PoolRefusal): number {
  if (funnel) {
    const step = STEPS.findIndex((one) => funnel[one] > 0);
    return step < 0 ? 0 : STEPS.length - step;
  }
  const early = EARLY.indexOf(reasons[0]?.code);
  return early < 0 ? -1 : -1 - early;
}

const compareNearness = (a: PoolRefusal, b: PoolRefusal): number =>
  countSteps(b) - countSteps(a) || (a.pool < b.pool ? -1 : 1);

/** True if the pod selects another NodePool by its name. */
const isUnselected = ({ reasons: [reason] }: PoolRefusal): boolean =>
  reason?.code === 'requirement-conflict' && reason.fields.key === NODEPOOL_LABEL;

export interface RankedRefusals {
  /** The closest first. */
  readonly near: readonly PoolRefusal[];
  /** The number of NodePools that the pod's selector excludes. */
  readonly unselected: number;
}

/** Ranks the refusals. If the pod selects none of the NodePools, one of them stands for all. */
export function rankRefusals(pools: readonly PoolRefusal[]): RankedRefusals {
  const sorted = pools.toSorted(compareNearness);
  const selected = sorted.filter((one) => !isUnselected(one));
  const near = selected.length > 0 ? selected : sorted.slice(0, 1);
  return { near, unselected: sorted.length - near.length };
}

/** `2 other NodePools: not selected`; undefined for none. */
export const formatUnselected = (unselected: number): string | undefined =>
  unselected === 0 ? undefined : `${unselected} other NodePool${unselected === 1 ? '' : 's'}: not selected`;

/** Formats all refusals in one line. */
export function formatRefusals(pools: readonly PoolRefusal[]): string {
  if (pools.length === 0) return formatReason({ code: 'no-usable-pool', fields: {} });
  const { near, unselected } = rankRefusals(pools);
  const texts = near.map(({ pool, reasons }) => `${pool}: ${reasons.map(formatReason).join(', ')}`);
  return [...texts, formatUnselected(unselected) ?? []].flat().join('; ');
}

/** A class is evaluated within seconds after it was created or changed. */
const NEW_CLASS_MS = 10 * SECOND_MS;

/** True if a NodePool refuses because its EC2NodeClass was written so lately that it was not evaluated yet. */
export const awaitsNewClass = (refusal: PoolRefusal, now: EpochMs): boolean =>
  refusal.reasons.some(
    ({ code, fields: { condition, classWrittenAt } }) =>
      code === 'pool-not-ready' &&
      condition === NODE_CLASS_UNKNOWN &&
      classWrittenAt !== undefined &&
      now - parseInstant(classWrittenAt) < NEW_CLASS_MS,
  );
