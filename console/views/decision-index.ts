import type {
  DisruptionCommand,
  DisruptionPlan,
  NodeVerdict,
  PlannedClaim,
  ProvisioningPlan,
  Unplaced,
} from '../../shared/model/plans.ts';
import type { PodKey } from '../../shared/model/pods/pod.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import type { DecisionView } from '../views.ts';

/** The newest decision's answer about a pod. */
export type PodAnswer = { readonly decision: DecisionView } & (
  | { readonly outcome: 'launch'; readonly planned: PlannedClaim }
  | { readonly outcome: 'placed'; readonly target: string }
  | { readonly outcome: 'unplaced'; readonly unplaced: Unplaced }
);

export interface LaunchAnswer {
  readonly decision: DecisionView;
  readonly planned: PlannedClaim;
  /**
   * Names of the nodes that a disruption command replaces; undefined if pods caused the decision.
   */
  readonly replaces?: readonly string[];
}

export interface StayAnswer {
  readonly decision: DecisionView;
  readonly verdict: NodeVerdict;
}

/** Recorded decisions by the objects that they mention. */
export interface DecisionIndex {
  podAnswer(key: PodKey): PodAnswer | undefined;
  launchOf(claim: string): LaunchAnswer | undefined;
  stayOf(claim: string): StayAnswer | undefined;
}

export interface GrowingDecisionIndex extends DecisionIndex {
  /**
   * Adds the kept decisions, oldest first; known ones are skipped.
   *
   * @param viewNames - names of NodeViews by the names that plans use
   */
  add(decisions: readonly Decision[], viewNames: ReadonlyMap<string, string>): void;
  /** Removes pods and claims that are gone. */
  keep(pods: ReadonlySet<PodKey>, claims: ReadonlySet<string>): void;
}

export const decisionView = ({ id, at, kind }: Decision): DecisionView => ({ id, at, kind });

export function decisionIndex(): GrowingDecisionIndex {
  let seenIds: ReadonlySet<string> = new Set();
  const pods = new Map<PodKey, PodAnswer>();
  const launches = new Map<string, LaunchAnswer>();
  const retentions = new Map<string, StayAnswer>();

  /** A later plan that chooses the same node adds nothing: the first one is the reason. */
  const confirms = (pod: PodKey, target: string, viewNames: ReadonlyMap<string, string>) => {
    const previousAnswer = pods.get(pod);
    const previousTarget = previousAnswer && targetOf(previousAnswer);
    return (
      previousTarget !== undefined &&
      nameIn(viewNames, previousTarget) === nameIn(viewNames, target)
    );
  };

  const addPlan = (
    decision: DecisionView,
    plan: ProvisioningPlan,
    viewNames: ReadonlyMap<string, string>,
  ) => {
    for (const planned of plan.claims) {
      launches.set(planned.claim.name, { decision, planned });
      for (const pod of planned.pods) pods.set(pod, { decision, outcome: 'launch', planned });
    }
    for (const { target, pods: placed } of plan.placements) {
      for (const pod of placed) {
        if (!confirms(pod, target, viewNames))
          pods.set(pod, { decision, outcome: 'placed', target });
      }
    }
    for (const unplaced of plan.unplaced) {
      for (const pod of unplaced.pods) pods.set(pod, { decision, outcome: 'unplaced', unplaced });
    }
  };

  const addDisruption = (decision: DecisionView, plan: DisruptionPlan) => {
    for (const verdict of plan.verdicts) retentions.set(verdict.claim, { decision, verdict });
    for (const { replacements, candidates: replaces } of commandsOf(plan)) {
      for (const planned of replacements) {
        launches.set(planned.claim.name, { decision, planned, replaces });
      }
    }
  };

  return {
    add(decisions, viewNames) {
      for (const decision of decisions) {
        if (seenIds.has(decision.id)) continue;
        if (decision.kind === 'provisioning') {
          addPlan(decisionView(decision), decision.plan, viewNames);
        } else addDisruption(decisionView(decision), decision.plan);
      }
      seenIds = new Set(decisions.map(({ id }) => id));
    },
    keep(livePods, liveClaims) {
      forgetOthers(pods, livePods);
      forgetOthers(launches, liveClaims);
      forgetOthers(retentions, liveClaims);
    },
    podAnswer: (key) => pods.get(key),
    launchOf: (claim) => launches.get(claim),
    stayOf: (claim) => retentions.get(claim),
  };
}

const commandsOf = ({ command, more = [] }: DisruptionPlan): readonly DisruptionCommand[] =>
  command ? [command, ...more] : [];

const nameIn = (viewNames: ReadonlyMap<string, string>, name: string): string =>
  viewNames.get(name) ?? name;

function targetOf(answer: PodAnswer): string | undefined {
  switch (answer.outcome) {
    case 'launch':
      return answer.planned.claim.name;
    case 'placed':
      return answer.target;
    case 'unplaced':
      return undefined;
  }
}

function forgetOthers(entries: Map<string, unknown>, live: ReadonlySet<string>): void {
  for (const key of entries.keys()) {
    if (!live.has(key)) entries.delete(key);
  }
}
