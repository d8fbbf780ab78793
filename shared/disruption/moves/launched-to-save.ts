import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { INSTANCE_TYPE_LABEL, PAYS_BACK_AT_ANNOTATION, REPLACED_TYPES_ANNOTATION } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import type { DisruptionCommand, MovePrice, PlannedClaim } from '../../model/plans.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type EpochMs, formatInstant, MINUTE_MS, parseInstant } from '../../model/time.ts';
import type { Problem } from '../../scheduling/input/problem.ts';
import type { Candidate } from '../candidates.ts';
import { readMoveRules } from './price-of-moves.ts';

/**
 * Nodes that were launched to save money remember it, in annotations of their NodeClaims: until
 * when they have to run to pay for the move, and which instance types they and their predecessors
 * replaced. While demand stays as it was, such a node is not moved again before it has paid back,
 * and never back to a type that it replaced: A → B → A cannot happen, whatever prices do. A
 * drifted node hands its memory on to its replacements.
 *
 * The planner never proposes a move back. `findMoveBack` checks this again before a command starts.
 */

/** Demand has changed if the pods of a node request less than this share of what it was made for. */
const UNCHANGED_SHARE = 0.75;
/** How long pods stay on a replacement, whatever other pods do: they have just moved. */
const KEEPS_PODS_MS = 10 * MINUTE_MS;
/** The longest chain of predecessors that is remembered. */
const MAX_PREDECESSORS = 20;

/** Returns why a node that was launched to save money must not be moved yet. */
export function findDebtObstacle(candidate: Candidate, { snapshot }: Problem): Reason | undefined {
  if (!readMoveRules(snapshot.settings)) return undefined;
  const { annotations, createdAt } = candidate.claim;
  const until = parseInstant(ownValue(annotations, PAYS_BACK_AT_ANNOTATION) ?? '');
  const mayMoveEarlier = snapshot.takenAt >= createdAt + KEEPS_PODS_MS;
  if (!(snapshot.takenAt < until) || (mayMoveEarlier && hasCandidateChanged(candidate))) return undefined;
  return { code: 'still-paying-back', fields: { until: formatInstant(until) } };
}

/** True if the node's pods request clearly less than those that it was launched for. */
function hasDemandChanged({ requests }: NodeClaim, pods: readonly Pod[]): boolean {
  return ['cpu', 'memory'].some((resource) => {
    const planned = ownValue(requests, resource) ?? 0;
    const present = pods.reduce((sum, { spec }) => sum + (ownValue(spec.requests, resource) ?? 0), 0);
    return present < planned * UNCHANGED_SHARE;
  });
}

const hasCandidateChanged = ({ claim, existingNode }: Candidate): boolean => hasDemandChanged(claim, existingNode.pods);

/** Lists the types that the node and its predecessors replaced, while demand is what it was. */
const listForbiddenTypes = (candidates: readonly Candidate[]): readonly string[] => [
  ...new Set(
    candidates.filter((candidate) => !hasCandidateChanged(candidate)).flatMap(({ claim }) => readReplacedTypes(claim)),
  ),
];

const readReplacedTypes = ({ annotations }: NodeClaim): readonly string[] =>
  (ownValue(annotations, REPLACED_TYPES_ANNOTATION) ?? '').split(',').filter((type) => type !== '');

/**
 * Takes the types that the nodes once replaced out of their replacement.
 *
 * @returns the type that would be launched, if it is one of them
 */
export function withoutReturn(
  candidates: readonly Candidate[],
  replacements: readonly PlannedClaim[],
): { readonly replacements: readonly PlannedClaim[] } | { readonly returnsTo: string } {
  const forbidden = new Set(listForbiddenTypes(candidates));
  if (forbidden.size === 0) return { replacements };
  const back = replacements.find(({ cheapest }) => forbidden.has(cheapest.instanceType));
  if (back) return { returnsTo: back.cheapest.instanceType };
  return {
    replacements: replacements.map((planned) => ({
      ...planned,
      claim: withoutTypes(planned.claim, forbidden),
    })),
  };
}

function withoutTypes(claim: NodeClaim, forbidden: ReadonlySet<string>): NodeClaim {
  const allowed = (type: string): boolean => !forbidden.has(type);
  return {
    ...claim,
    instanceTypes: claim.instanceTypes.filter(allowed),
    requirements: claim.requirements.map((requirement) =>
      requirement.key === INSTANCE_TYPE_LABEL && requirement.operator === 'In'
        ? { ...requirement, values: (requirement.values ?? []).filter(allowed) }
        : requirement,
    ),
  };
}

/** Writes into the replacements what they replace, and when they have paid for it. */
export function rememberMove(
  candidates: readonly Candidate[],
  replacements: readonly PlannedClaim[],
  { paybackMs }: MovePrice,
  now: EpochMs,
): readonly PlannedClaim[] {
  const types = candidates.flatMap(({ claim }) => [
    ...(claim.launch ? [claim.launch.instanceType] : []),
    ...readReplacedTypes(claim),
  ]);
  const replaced = [...new Set(types)].slice(0, MAX_PREDECESSORS).join(',');
  return replacements.map((planned) => ({
    ...planned,
    claim: {
      ...planned.claim,
      annotations: {
        ...planned.claim.annotations,
        [PAYS_BACK_AT_ANNOTATION]: formatInstant(now + paybackMs),
        [REPLACED_TYPES_ANNOTATION]: replaced,
      },
    },
  }));
}

/**
 * Copies the memory of a drifted or unhealthy node into its replacements. Their pods have just moved, so they are
 * not moved again at once: not before the node's debt is paid, and not within ten minutes.
 */
export function handOnMemory(
  { annotations }: NodeClaim,
  replacements: readonly PlannedClaim[],
  now: EpochMs,
): readonly PlannedClaim[] {
  const debt = parseInstant(ownValue(annotations, PAYS_BACK_AT_ANNOTATION) ?? '') || 0;
  const types = ownValue(annotations, REPLACED_TYPES_ANNOTATION);
  const memory = {
    [PAYS_BACK_AT_ANNOTATION]: formatInstant(Math.max(debt, now + KEEPS_PODS_MS)),
    ...(types !== undefined && { [REPLACED_TYPES_ANNOTATION]: types }),
  };
  return replacements.map((planned) => ({
    ...planned,
    claim: { ...planned.claim, annotations: { ...planned.claim.annotations, ...memory } },
  }));
}

/** A node, and the types that its replacement must not be launched as. */
export interface MoveBack {
  readonly claim: string;
  readonly types: readonly string[];
}

/**
 * Finds a consolidation that could launch a type which its node, or a predecessor of it, replaced
 * while demand was what it is. `undefined` for every command of `planConsolidation`.
 */
export function findMoveBack(
  { reason, candidates, replacements }: DisruptionCommand,
  { claims, pods }: Pick<ClusterSnapshot, 'claims' | 'pods'>,
): MoveBack | undefined {
  if (reason !== 'Underutilized') return undefined;
  const launched = new Set(replacements.flatMap(({ claim }) => claim.instanceTypes));
  for (const claim of claims) {
    if (!candidates.includes(claim.name)) continue;
    const types = readReplacedTypes(claim).filter((type) => launched.has(type));
    const own = pods.filter(({ nodeName }) => nodeName !== undefined && nodeName === claim.nodeName);
    if (types.length > 0 && !hasDemandChanged(claim, own)) return { claim: claim.name, types };
  }
  return undefined;
}
