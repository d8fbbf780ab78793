import { formatShortDuration } from '../../shared/model/duration.ts';
import { formatFix } from '../../shared/model/explanations/plan-text.ts';
import { emitterOf, formatReason, type Reason } from '../../shared/model/explanations/reasons.ts';
import type { ClaimPhase, NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { phaseOf } from '../../shared/model/nodes/node-claim.ts';
import type { Fix, ProvisioningPlan, Unplaced } from '../../shared/model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../shared/model/pods/pod.ts';
import { isDaemon } from '../../shared/model/pods/workload.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import { isOptedOut } from '../../shared/scheduling/input/plan-batch.ts';
import type { FixDocument, ReasonDocument, UnplacedPod } from '../documents/simulation.ts';

/** Typical time from CreateFleet to a ready node on EKS. */
const USUAL_NODE_START = '45s';

export interface PendingView {
  readonly now: EpochMs;
  readonly pods: readonly Pod[];
  /** Oldest first. */
  readonly decisions: readonly Decision[];
  readonly claims: readonly NodeClaim[];
}

/** Lists every pod that does not run, with the reasons of the last decision about it. */
export function listUnplacedPods(view: PendingView): UnplacedPod[] {
  return view.pods
    .filter((pod) => pod.phase === 'Pending' && pod.deletionAt === undefined && !isDaemon(pod))
    .map((pod) => ({
      pod: podKey(pod),
      reasons: findReasons(pod, view).map(toReasonDocument),
      ...findFix(pod, view),
    }))
    .toSorted((a, b) => (a.pod < b.pod ? -1 : 1));
}

function findFix(pod: Pod, { decisions }: PendingView): Pick<UnplacedPod, 'fix' | 'otherFixes'> {
  const key = podKey(pod);
  if (pod.nodeName !== undefined) return {};
  const plan = findLastPlan(key, decisions);
  const { fix, otherFixes } = plan?.unplaced.find(({ pods }) => pods.includes(key)) ?? {};
  return {
    ...(fix && { fix: toFixDocument(fix) }),
    ...(otherFixes && { otherFixes: otherFixes.map(toFixDocument) }),
  };
}

function toFixDocument(fix: Fix): FixDocument {
  const { kind: _, ...change } = fix;
  return { ...change, text: formatFix(fix) };
}

function findReasons(pod: Pod, view: PendingView): readonly Reason[] {
  const key = podKey(pod);
  const claim = view.claims.find(({ nodeName }) => nodeName !== undefined && nodeName === pod.nodeName);
  if (pod.nodeName !== undefined) return [toWaitingReason(claim?.name ?? pod.nodeName, claim, view.now)];

  const held = findHoldReason(pod);
  if (held !== undefined) return [{ code: 'pod-not-considered', fields: { why: held } }];

  const plan = findLastPlan(key, view.decisions);
  const refused = plan?.unplaced.find(({ pods }) => pods.includes(key));
  if (refused) return listRefusals(refused);
  const target = plan && findTarget(key, plan);
  if (target === undefined) return [NOT_DECIDED];
  return [
    toWaitingReason(
      target,
      view.claims.find(({ name }) => name === target),
      view.now,
    ),
  ];
}

/** Returns the reason why the scheduler ignores the pod, if there is one. */
function findHoldReason(pod: Pod): string | undefined {
  const { nominatedNodeName } = pod;
  const { schedulingGates } = pod.spec;
  if (schedulingGates.length > 0) return `held by scheduling gates ${schedulingGates.join(', ')}`;
  if (isOptedOut(pod)) return 'it wants only nodes without a NodePool';
  return nominatedNodeName === undefined
    ? undefined
    : `pods of lower priority make room for it on ${nominatedNodeName}`;
}

const NOT_DECIDED: Reason = {
  code: 'pod-not-considered',
  fields: { why: 'no decision about it yet' },
};

const findLastPlan = (pod: PodKey, decisions: readonly Decision[]): ProvisioningPlan | undefined =>
  decisions
    .flatMap((decision) => (decision.kind === 'provisioning' ? [decision.plan] : []))
    .findLast((plan) => findTarget(pod, plan) !== undefined || plan.unplaced.some(({ pods }) => pods.includes(pod)));

const findTarget = (pod: PodKey, { claims, placements }: ProvisioningPlan): string | undefined =>
  claims.find(({ pods }) => pods.includes(pod))?.claim.name ??
  placements.find(({ pods }) => pods.includes(pod))?.target;

function listRefusals({ pools }: Unplaced): readonly Reason[] {
  if (pools.length === 0) return [{ code: 'no-usable-pool', fields: { count: '0' } }];
  return pools.flatMap(({ pool, reasons }) =>
    reasons.map(({ code, fields }) => ({ code, fields: { pool, ...fields } })),
  );
}

const toWaitingReason = (target: string, claim: NodeClaim | undefined, now: EpochMs): Reason => ({
  code: 'waiting-for-node',
  fields: {
    claim: target,
    phase: claim ? phaseOf(claim) : 'ready',
    since: formatShortDuration(claim ? now - findPhaseStart(claim) : 0),
    typical: USUAL_NODE_START,
  },
});

/** Finds when the claim entered its current phase. */
function findPhaseStart(claim: NodeClaim): EpochMs {
  const reached: Readonly<Record<ClaimPhase, EpochMs | undefined>> = {
    launching: claim.createdAt,
    launched: claim.launch?.at,
    registered: claim.registeredAt,
    initialized: claim.initializedAt,
    draining: claim.deletingAt,
    terminating: claim.drainedAt ?? claim.terminatingAt,
    terminated: claim.terminatedAt,
  };
  return reached[phaseOf(claim)] ?? claim.createdAt;
}

const toReasonDocument = (reason: Reason): ReasonDocument => ({
  code: reason.code,
  emitter: emitterOf(reason),
  text: formatReason(reason),
  fields: { ...reason.fields },
});
