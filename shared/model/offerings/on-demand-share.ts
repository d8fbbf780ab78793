import { type Labels, ON_DEMAND_BASE_ANNOTATION, ON_DEMAND_PERCENT_ANNOTATION } from '../labels.ts';

/**
 * The part that runs on demand: a base first, and a percentage of all above it. The rest may be spot.
 *
 * @see EC2 Auto Scaling, `OnDemandBaseCapacity` and `OnDemandPercentageAboveBaseCapacity`
 */
export interface OnDemandShare {
  /** Pods of a workload, or vCPUs of a NodePool. */
  readonly base: number;
  /** 0 to 100. */
  readonly percentAboveBase: number;
}

/** A share counts pods of a workload, or vCPUs of a NodePool with decimals. */
export type ShareUnit = 'pods' | 'vCPUs';

/** Capacity of a workload or NodePool, in the unit of its share. */
export interface SharedCapacity {
  readonly onDemand: number;
  readonly total: number;
}

/** Computes how much of `total` must be on demand, in whole pods or parts of a vCPU. */
export function computeRequiredOnDemand(
  { base, percentAboveBase }: OnDemandShare,
  total: number,
  unit: ShareUnit,
): number {
  if (total <= base) return total;
  const required = base + ((total - base) * percentAboveBase) / 100;
  return unit === 'pods' ? Math.ceil(required - ROUNDING) : required;
}

/** Computes how much on-demand capacity is missing; 0 if the share holds. */
export function computeMissingOnDemand(
  share: OnDemandShare,
  { onDemand, total }: SharedCapacity,
  unit: ShareUnit,
): number {
  const missing = computeRequiredOnDemand(share, total, unit) - onDemand;
  return missing > ROUNDING ? missing : 0;
}

/** Sums of vCPUs and percentages have rounding errors. */
const ROUNDING = 1e-6;

/** Formats a share, for example as `2 pods and 30 % of those above`. */
export function formatOnDemandShare({ base, percentAboveBase }: OnDemandShare, unit: ShareUnit): string {
  const amount = `${base} ${base === 1 ? unit.slice(0, -1) : unit}`;
  if (percentAboveBase === 0) return amount;
  return base === 0 ? `${percentAboveBase} % of its ${unit}` : `${amount} and ${percentAboveBase} % of those above`;
}

const SHARE_ANNOTATIONS = [ON_DEMAND_BASE_ANNOTATION, ON_DEMAND_PERCENT_ANNOTATION] as const;
type ShareAnnotation = (typeof SHARE_ANNOTATIONS)[number];

/** True if the annotations name a share, valid or not. */
export const namesOnDemandShare = (annotations: Labels): boolean =>
  SHARE_ANNOTATIONS.some((key) => annotations[key] !== undefined);

/** Reads the share; `undefined` if there is none, or if a value is invalid. */
export function readOnDemandShare(annotations: Labels, unit: ShareUnit): OnDemandShare | undefined {
  if (!namesOnDemandShare(annotations) || listInvalidShares(annotations, unit).length > 0) return undefined;
  return {
    base: Number(annotations[ON_DEMAND_BASE_ANNOTATION] ?? 0),
    percentAboveBase: Number(annotations[ON_DEMAND_PERCENT_ANNOTATION] ?? 0),
  };
}

/** Lists the annotations of a share whose value is invalid. */
export const listInvalidShares = (annotations: Labels, unit: ShareUnit): readonly ShareAnnotation[] =>
  SHARE_ANNOTATIONS.filter((key) => {
    const written = annotations[key];
    return written !== undefined && !isValid(key, written, unit);
  });

const AMOUNT = /^\d+(?:\.\d+)?$/;
const COUNT = /^\d+$/;

const isValid = (key: ShareAnnotation, written: string, unit: ShareUnit): boolean =>
  key === ON_DEMAND_PERCENT_ANNOTATION
    ? AMOUNT.test(written) && Number(written) <= 100
    : (unit === 'pods' ? COUNT : AMOUNT).test(written);
