import { decideDisruption } from '../controllers/disruption/decide-disruption.ts';
import { decideProvisioning } from '../controllers/provisioning/decide-provisioning.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { KarpenterReport } from '../model/karpenter-report.ts';
import { onFirstUse } from '../model/memo.ts';
import type { DisruptionCommand, DisruptionPlan, NodeVerdict, PlannedClaim, ProvisioningPlan } from '../model/plans.ts';
import { type Pod, type PodKey, podKey } from '../model/pods/pod.ts';
import type { EpochMs } from '../model/time.ts';
import type { DecisionInput, DisruptionInput, ProvisioningInput } from '../ports/decision-log.ts';

/** A decision with its input, from a record, a snapshot file or a live cluster. */
export interface DecisionToExplain {
  readonly id: string;
  readonly at: EpochMs;
  readonly input: DecisionInput;
}

/** A node that was planned, and the nodes that it replaces. */
export interface PlannedLaunch {
  readonly planned: PlannedClaim;
  /** Undefined if pods caused the launch. */
  readonly replaces?: readonly string[];
}

/** Decisions that were made about a cluster. */
export interface KnownDecisions {
  /** The last plan for pending pods; undefined if none was made. */
  provisioning(): { readonly id: string; readonly plan: ProvisioningPlan } | undefined;
  /** The plan that launched the claim; undefined if it is not known any more. */
  launchOf(claim: string): PlannedLaunch | undefined;
}

/** The decisions around one moment. Plans are made again from their input when they are needed. */
export interface DecisionFacts extends KnownDecisions {
  /** Events and conditions of Karpenter, the newest first; empty where it does not run. */
  readonly reports: readonly KarpenterReport[];
  /** The newest one. */
  readonly snapshot: ClusterSnapshot;
  /** Removals and replacements that have started. */
  readonly running: readonly DisruptionCommand[];
  /** Oldest first; empty for a cluster without decisions. */
  readonly recorded: readonly DecisionToExplain[];
  /** The moment in the record that was asked for; undefined for the present. */
  readonly until?: EpochMs;
  /** Ages count to this moment. */
  readonly now: EpochMs;
  /** The last plan of removals; undefined if none was made. It has no id if it was made for the explanation. */
  disruption(): { readonly id?: string; readonly plan: DisruptionPlan } | undefined;
  /** Plans for one pod, as if it were found to be unschedulable now. */
  planFor(pod: PodKey): ProvisioningPlan;
  /**
   * Plans for one pod and the others of its owner as if no other pod waited. All fixes of a plan
   * share a limit of work, so that in a plan for many pods the last ones get none.
   */
  planForOwner(pod: PodKey): ProvisioningPlan;
  /** Decides about one node only, in this cluster or in a changed one. */
  judge(claim: string, changed?: ClusterSnapshot): NodeJudgement;
}

/** Facts about a cluster besides its snapshot. */
export type SnapshotKnowledge = Partial<KnownDecisions & Pick<DecisionFacts, 'reports'>>;

export interface NodeJudgement {
  /** Undefined if the node cannot be disrupted at all: it starts, ends, or is not ours. */
  readonly verdict: NodeVerdict | undefined;
  readonly command: DisruptionCommand | undefined;
}

export interface ExplainedMoment {
  /** The moment in the record that was asked for; undefined for the present. */
  readonly until?: EpochMs;
  /** Set if the objects in question are still as the newest decision has them. */
  readonly now?: EpochMs;
}

/** @returns undefined if there is no decision */
export function collectFacts(
  decisions: readonly DecisionToExplain[],
  reports: readonly KarpenterReport[],
  { until, now }: ExplainedMoment = {},
): DecisionFacts | undefined {
  const oldestFirst = decisions.toSorted((a, b) => a.at - b.at);
  const newest = oldestFirst.at(-1);
  if (!newest) return undefined;
  const { snapshot } = newest.input;
  const provisioning = oldestFirst.flatMap(({ id, input }) => (input.kind === 'provisioning' ? [{ id, input }] : []));
  const disruption = oldestFirst.flatMap(({ id, input }) =>
    input.kind === 'disruption' && !input.proposal ? [{ id, input }] : [],
  );
  const running = disruption.at(-1)?.input.running ?? [];
  const lastProvisioning = onFirstUse(() => {
    const last = provisioning.at(-1);
    return last && { id: last.id, plan: decideProvisioning(last.input, last.id) };
  });
  const lastDisruption = onFirstUse(() => {
    const last = disruption.at(-1);
    return last && { id: last.id, plan: decideDisruption(last.input, last.id) };
  });
  const { backoffs = NO_BACKOFFS, caps = NO_CAPS } = provisioning.at(-1)?.input ?? {};
  return {
    ...createHypothetical({ snapshot, running, backoffs, caps }),
    reports,
    recorded: oldestFirst,
    ...(until !== undefined && { until }),
    now: now ?? snapshot.takenAt,
    provisioning: lastProvisioning,
    launchOf: (claim) => findLaunch(claim, lastProvisioning()?.plan.claims ?? [], running),
    disruption: lastDisruption,
  };
}

function findLaunch(
  claim: string,
  launched: readonly PlannedClaim[],
  running: readonly DisruptionCommand[],
): PlannedLaunch | undefined {
  const isIt = (one: PlannedClaim): boolean => one.claim.name === claim;
  const planned = launched.find(isIt);
  if (planned) return { planned };
  return running
    .flatMap(({ replacements, candidates }) =>
      replacements.filter(isIt).map((one) => ({ planned: one, replaces: candidates })),
    )
    .at(0);
}

interface Situation extends Pick<ProvisioningInput, 'snapshot' | 'backoffs' | 'caps'> {
  readonly running: readonly DisruptionCommand[];
}

/** In larger clusters a plan of all removals takes seconds: each node is then looked at alone. */
const MAX_PLANNED_NODES = 200;

/**
 * Returns the facts about a cluster as it is: what no known decision says is planned for the object in
 * question only.
 */
export function collectSnapshotFacts(
  snapshot: ClusterSnapshot,
  running: readonly DisruptionCommand[],
  knowledge: SnapshotKnowledge,
): DecisionFacts {
  const backoffs = NO_BACKOFFS;
  const facts = createHypothetical({ snapshot, running, backoffs, caps: NO_CAPS });
  const planRemovals = onFirstUse(() => ({
    plan: decideDisruption({ kind: 'disruption', snapshot, running }, HYPOTHETICAL),
  }));
  return {
    ...facts,
    reports: [],
    recorded: [],
    now: snapshot.takenAt,
    planFor: facts.planForOwner,
    provisioning: () => undefined,
    launchOf: (claim) => findLaunch(claim, [], running),
    disruption: () => (snapshot.claims.length > MAX_PLANNED_NODES ? undefined : planRemovals()),
    ...knowledge,
  };
}

function createHypothetical({
  snapshot,
  running,
  backoffs,
  caps,
}: Situation): Omit<DecisionFacts, keyof KnownDecisions | 'disruption' | 'reports' | 'recorded' | 'now'> {
  const planIn = (changed: ClusterSnapshot): ProvisioningPlan => {
    const input: ProvisioningInput = {
      kind: 'provisioning',
      snapshot: changed,
      ...{ backoffs, caps, anticipate: false },
    };
    return decideProvisioning(input, HYPOTHETICAL);
  };
  return {
    snapshot,
    running,
    planFor: (pod) => planIn(withUnschedulable(snapshot, pod)),
    planForOwner: (pod) => planIn(withoutOtherOwners(withUnschedulable(snapshot, pod), pod)),
    judge(claim, changed = snapshot) {
      const input: DisruptionInput = {
        kind: 'disruption',
        snapshot: changed,
        running,
        proposal: { ...EMPTY_PROPOSAL, candidates: [claim] },
      };
      const { verdicts, command } = decideDisruption(input, HYPOTHETICAL);
      return { verdict: verdicts.find((one) => one.claim === claim), command };
    },
  };
}

/** Names claims of plans that are never carried out. */
const HYPOTHETICAL = 'explain';

const NO_BACKOFFS: ProvisioningInput['backoffs'] = { registration: [], launch: [], placement: [] };
const NO_CAPS: ProvisioningInput['caps'] = {
  launchesPerMinute: Number.MAX_SAFE_INTEGER,
  hourlyUsd: Number.MAX_SAFE_INTEGER,
  use: { launches: 0, usd: 0, nodes: 0 },
};

const EMPTY_PROPOSAL: DisruptionCommand = {
  id: HYPOTHETICAL,
  reason: 'Underutilized',
  decidedAt: 0,
  candidates: [],
  replacements: [],
  placements: [],
  savingHourlyUsd: 0,
};

const withUnschedulable = (snapshot: ClusterSnapshot, key: PodKey): ClusterSnapshot => ({
  ...snapshot,
  pods: snapshot.pods.map((pod) =>
    podKey(pod) === key && pod.unschedulableSince === undefined
      ? { ...pod, unschedulableSince: snapshot.takenAt }
      : pod,
  ),
});

/** Keeps the pending pods of one owner, for which the same change has to be large enough. */
function withoutOtherOwners(snapshot: ClusterSnapshot, key: PodKey): ClusterSnapshot {
  const owner = snapshot.pods.find((pod) => podKey(pod) === key)?.owner;
  const isSibling = (pod: Pod) => owner !== undefined && pod.owner?.uid === owner.uid;
  return {
    ...snapshot,
    pods: snapshot.pods.filter((pod) => pod.nodeName !== undefined || podKey(pod) === key || isSibling(pod)),
  };
}
