import { createSnapshotExplainer } from '../../shared/explain/explain.ts';
import { findHold, toHeldReason } from '../../shared/explain/explain-pod.ts';
import type { ExplainedFix } from '../../shared/explain/explanation.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatShortDuration } from '../../shared/model/duration.ts';
import type { Reason } from '../../shared/model/explanations/reasons.ts';
import { getOrCreate } from '../../shared/model/memo.ts';
import { type ClaimPhase, type NodeClaim, phaseOf } from '../../shared/model/nodes/node-claim.ts';
import type { ProvisioningPlan, Unplaced } from '../../shared/model/plans.ts';
import { type Pod, type PodKey, podKey } from '../../shared/model/pods/pod.ts';
import { isDaemon } from '../../shared/model/pods/workload.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import type { FixDocument, UnplacedPod } from '../documents/simulation.ts';
import { toReasonDocument } from '../explain/explanation-document.ts';

/** Typical time from CreateFleet to a ready node on EKS. */
const USUAL_NODE_START = '45s';

export interface PendingView {
  readonly snapshot: ClusterSnapshot;
  /** Oldest first. */
  readonly decisions: readonly Decision[];
}

type Answer = Pick<UnplacedPod, 'fix' | 'otherFixes'> & { readonly reasons: readonly Reason[] };

/** Lists every pod that does not run, with the reasons and fixes that `mortise explain` gives. */
export function listUnplacedPods(view: PendingView): UnplacedPod[] {
  /** Equal pods are explained once. */
  const refused = new Map<Unplaced, Answer>();
  return view.snapshot.pods
    .filter((pod) => pod.phase === 'Pending' && pod.deletionAt === undefined && !isDaemon(pod))
    .map((pod) => {
      const { reasons, ...fixes } = answer(pod, view, refused);
      return { pod: podKey(pod), reasons: reasons.map(toReasonDocument), ...fixes };
    })
    .toSorted((a, b) => (a.pod < b.pod ? -1 : 1));
}

function answer(pod: Pod, { snapshot, decisions }: PendingView, refused: Map<Unplaced, Answer>): Answer {
  const key = podKey(pod);
  if (pod.nodeName !== undefined) {
    return snapshot.nodes.some(({ name }) => name === pod.nodeName)
      ? { reasons: [toWaitingReason(pod.nodeName, snapshot)] }
      : explainRefusal(key, snapshot);
  }
  const held = findHold(pod, snapshot);
  if (held) return { reasons: [toHeldReason(held)] };
  const last = findLastPlan(key, decisions);
  const unplaced = last?.plan.unplaced.find(({ pods }) => pods.includes(key));
  if (unplaced) return getOrCreate(refused, unplaced, () => explainRefusal(key, snapshot, last));
  const target = last && findTarget(key, last.plan);
  return { reasons: [target === undefined ? NOT_DECIDED : toWaitingReason(target, snapshot)] };
}

function explainRefusal(name: PodKey, snapshot: ClusterSnapshot, last?: PlannedDecision): Answer {
  const explainer = createSnapshotExplainer(snapshot, [], { provisioning: () => last });
  const explanation = explainer.explain({ kind: 'pod', name });
  const [fix, ...otherFixes] = explanation?.fixes.map(toFixDocument) ?? [];
  return {
    reasons: (explanation?.reasons ?? []).map(({ object, reason: { code, fields } }) => ({
      code,
      fields: { ...(object !== '' && { pool: object }), ...fields },
    })),
    ...(fix && { fix }),
    ...(otherFixes.length > 0 && { otherFixes }),
  };
}

const toFixDocument = ({ id: _, kind: __, patch: ___, ...change }: ExplainedFix): FixDocument => change;

const NOT_DECIDED: Reason = {
  code: 'pod-not-considered',
  fields: { why: 'no decision about it yet' },
};

type PlannedDecision = Extract<Decision, { readonly kind: 'provisioning' }>;

const findLastPlan = (pod: PodKey, decisions: readonly Decision[]): PlannedDecision | undefined =>
  decisions
    .filter((decision) => decision.kind === 'provisioning')
    .findLast(
      ({ plan }) => findTarget(pod, plan) !== undefined || plan.unplaced.some(({ pods }) => pods.includes(pod)),
    );

const findTarget = (pod: PodKey, { claims, placements }: ProvisioningPlan): string | undefined =>
  claims.find(({ pods }) => pods.includes(pod))?.claim.name ??
  placements.find(({ pods }) => pods.includes(pod))?.target;

/** @param target - a NodeClaim, or a Node */
function toWaitingReason(target: string, { claims, takenAt }: ClusterSnapshot): Reason {
  const claim = claims.find(({ name, nodeName }) => name === target || nodeName === target);
  return {
    code: 'waiting-for-node',
    fields: {
      claim: claim?.name ?? target,
      phase: claim ? phaseOf(claim) : 'ready',
      since: formatShortDuration(claim ? takenAt - findPhaseStart(claim) : 0),
      typical: USUAL_NODE_START,
    },
  };
}

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
