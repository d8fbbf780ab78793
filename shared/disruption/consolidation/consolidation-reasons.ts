import { formatFirst } from '../../model/explanations/phrases.ts';
import { formatReason, type Reason } from '../../model/explanations/reasons.ts';
import { formatOffering } from '../../model/offerings/instance-type.ts';
import type { Placement, PlannedClaim } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { formatRollout } from '../../scheduling/removal/rollout-pods.ts';
import type { RemovalOutcome } from '../../scheduling/removal/simulate-removal.ts';
import type { Candidate } from '../candidates.ts';

/** Nodes to remove together, with their pods and price. */
export interface RemovedTogether {
  readonly candidates: readonly Candidate[];
  /** The pods of the candidates, and those that their rollouts run besides them. */
  readonly batch: readonly Pod[];
  readonly rolloutPods: readonly Pod[];
  readonly hourlyUsd: number;
}

export type OutcomeOf<Kind extends RemovalOutcome['outcome']> = Extract<RemovalOutcome, { outcome: Kind }>;

const formatNames = ({ candidates }: RemovedTogether): string => candidates.map(({ claim }) => claim.name).join(', ');

export const explainSpotForSpot = (removed: RemovedTogether): Reason => ({
  code: 'spot-to-spot-disabled',
  fields: { claim: formatNames(removed) },
});

export const explainUnpriced = (removed: RemovedTogether): Reason => ({
  code: 'not-priced',
  fields: { claim: formatNames(removed) },
});

export const explainBrokenShare = ({ owner, share, onDemand, required }: OutcomeOf<'breaks-share'>): Reason => ({
  code: 'on-demand-share',
  fields: { owner, share, onDemand, required },
});

export const explainTooFewTypes = (
  removed: RemovedTogether,
  { replacement, needed }: OutcomeOf<'too-few-spot-types'>,
): Reason => ({
  code: 'spot-diversity',
  fields: { claim: formatNames(removed), found: `${replacement}`, required: `${needed}` },
});

export function explainPodsLeft(
  { count, first, reason }: OutcomeOf<'pods-left'>,
  { batch, rolloutPods }: RemovedTogether,
): Reason {
  const fields = {
    count: `${count} of ${batch.length}`,
    ...formatRollout(rolloutPods),
    first: first ?? '',
    firstReason: reason ? formatReason(reason) : 'no room',
  };
  return { code: 'pods-do-not-fit', fields };
}

/** @param savingUsd - undefined if weights stand in for prices */
export function explainMove(removed: RemovedTogether, target: string, savingUsd: number | undefined): Reason {
  const saving = savingUsd === undefined ? {} : { savingUsd: savingUsd.toFixed(4) };
  const others = removed.candidates.length - 1;
  return others === 0
    ? { code: 'underutilized', fields: { claim: formatNames(removed), target, ...saving } }
    : { code: 'underutilized-together', fields: { others: `${others}`, target, ...saving } };
}

export const formatTypes = (claims: readonly PlannedClaim[]): string =>
  formatList(claims.map(({ cheapest }) => cheapest.instanceType));

export const formatTargets = (placements: readonly Placement[]): string =>
  formatList(placements.map(({ target }) => target));

const MAX_LISTED = 3;

const formatList = (names: readonly string[]): string => formatFirst(names, MAX_LISTED) || 'nowhere';

export const explainUnknownPrice = ({ claim: { name, launch } }: Candidate): Reason => {
  const what = launch ? `the price of ${formatOffering(launch)}` : `the instance of ${name}`;
  return { code: 'state-incomplete', fields: { what, limit: 'the catalogue' } };
};

export function explainNotCheaper(removed: RemovedTogether, best: string, bestUsd: number): Reason {
  const fields = {
    claim: formatNames(removed),
    alternative: best,
    hourlyUsd: bestUsd < Infinity ? bestUsd.toFixed(4) : '–',
    currentUsd: removed.hourlyUsd.toFixed(4),
    ...formatRollout(removed.rolloutPods),
  };
  return { code: 'no-cheaper-replacement', fields };
}
