import { isDeepStrictEqual } from 'node:util';
import type { PlannedLaunch } from '../../shared/explain/decisions.ts';
import { getOrCreate } from '../../shared/model/memo.ts';
import type {
  DisruptionPlan,
  NodeVerdict,
  PlannedClaim,
  ProvisioningPlan,
  Unplaced,
} from '../../shared/model/plans.ts';
import { listCommands } from '../../shared/model/plans.ts';
import type { PodKey } from '../../shared/model/pods/pod.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { Decision } from '../../shared/ports/decision-log.ts';
import type { DecisionView } from '../views.ts';
import { decisionView } from './decision-view.ts';

/** The newest decision's answer about a pod. */
export type PodAnswer = { readonly decision: DecisionView } & (
  | { readonly outcome: 'launch'; readonly planned: PlannedClaim }
  | { readonly outcome: 'placed'; readonly target: string }
  | { readonly outcome: 'unplaced'; readonly unplaced: Unplaced }
);

export interface LaunchAnswer extends PlannedLaunch {
  readonly decision: DecisionView;
}

export interface StayAnswer {
  readonly decision: DecisionView;
  readonly verdict: NodeVerdict;
}

/** Recorded decisions by the objects that they mention, as of one moment. */
export interface DecisionIndex {
  podAnswer(key: PodKey): PodAnswer | undefined;
  launchOf(claim: string): LaunchAnswer | undefined;
  stayOf(claim: string): StayAnswer | undefined;
}

/** The decisions as of now, and of each moment since `forget`. */
export interface GrowingDecisionIndex extends DecisionIndex {
  /**
   * Adds the kept decisions, oldest first; known ones are skipped.
   *
   * @param viewNames - names of NodeViews by the names that plans use
   */
  add(decisions: readonly Decision[], viewNames: ReadonlyMap<string, string>): void;
  /** The answers that were known at a moment. */
  asOf(at: EpochMs): DecisionIndex;
  /** Removes answers that were replaced before a moment, and those about objects that were gone. */
  forget(before: EpochMs, live: LiveObjects, now: EpochMs): void;
}

export interface LiveObjects {
  readonly pods: ReadonlySet<PodKey>;
  readonly claims: ReadonlySet<string>;
}

export function decisionIndex(): GrowingDecisionIndex {
  let seenIds: ReadonlySet<string> = new Set();
  const pods = answerHistory<PodAnswer>(isSamePodAnswer);
  const launches = answerHistory<LaunchAnswer>(() => false);
  const retentions = answerHistory<StayAnswer>(isSameVerdict);

  /** A later plan that chooses the same node adds nothing: the first one is the reason. */
  const confirms = (pod: PodKey, target: string, viewNames: ReadonlyMap<string, string>) => {
    const previousAnswer = pods.at(pod);
    const previousTarget = previousAnswer && targetOf(previousAnswer);
    return previousTarget !== undefined && nameIn(viewNames, previousTarget) === nameIn(viewNames, target);
  };

  const addPlan = (decision: DecisionView, plan: ProvisioningPlan, viewNames: ReadonlyMap<string, string>) => {
    for (const planned of plan.claims) {
      launches.add(planned.claim.name, { decision, planned });
      for (const pod of planned.pods) pods.add(pod, { decision, outcome: 'launch', planned });
    }
    for (const { target, pods: placed } of plan.placements) {
      for (const pod of placed) {
        if (!confirms(pod, target, viewNames)) pods.add(pod, { decision, outcome: 'placed', target });
      }
    }
    for (const unplaced of plan.unplaced) {
      for (const pod of unplaced.pods) pods.add(pod, { decision, outcome: 'unplaced', unplaced });
    }
  };

  const addDisruption = (decision: DecisionView, plan: DisruptionPlan) => {
    for (const verdict of plan.verdicts) retentions.add(verdict.claim, { decision, verdict });
    for (const { replacements, candidates: replaces } of listCommands(plan)) {
      for (const planned of replacements) {
        launches.add(planned.claim.name, { decision, planned, replaces });
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
    asOf: (at) => ({
      podAnswer: (key) => pods.at(key, at),
      launchOf: (claim) => launches.at(claim, at),
      stayOf: (claim) => retentions.at(claim, at),
    }),
    forget(before, live, now) {
      pods.forget(before, live.pods, now);
      launches.forget(before, live.claims, now);
      retentions.forget(before, live.claims, now);
    },
    podAnswer: (key) => pods.at(key),
    launchOf: (claim) => launches.at(claim),
    stayOf: (claim) => retentions.at(claim),
  };
}

const nameIn = (viewNames: ReadonlyMap<string, string>, name: string): string => viewNames.get(name) ?? name;

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

const isSamePodAnswer = (a: PodAnswer, b: PodAnswer): boolean =>
  a.outcome === 'unplaced' && b.outcome === 'unplaced' && a.unplaced === b.unplaced;

const isSameVerdict = ({ verdict: a }: StayAnswer, { verdict: b }: StayAnswer): boolean =>
  a.outcome === b.outcome && isDeepStrictEqual(a.reason, b.reason);

interface Dated {
  readonly decision: DecisionView;
}

interface Entry<T> {
  /** The first decision that gave this answer. */
  readonly since: EpochMs;
  readonly answer: T;
}

/** The answers of decisions about objects, each with the time from which it applied. */
interface AnswerHistory<T extends Dated> {
  add(name: string, answer: T): void;
  /** The answer at a moment; the newest by default. */
  at(name: string, at?: EpochMs): T | undefined;
  /**
   * Removes answers that were replaced before a moment, and those about objects gone by then.
   *
   * @param live - the objects that exist now
   */
  forget(before: EpochMs, live: ReadonlySet<string>, now: EpochMs): void;
}

/** Decisions repeat each minute; more changes of one object are not kept. */
const MAX_PER_OBJECT = 30;

/**
 * @param isSame - true if the later answer says the same, so that it replaces the earlier one
 */
function answerHistory<T extends Dated>(isSame: (earlier: T, later: T) => boolean): AnswerHistory<T> {
  const byName = new Map<string, Entry<T>[]>();
  const goneAt = new Map<string, EpochMs>();

  return {
    add(name, answer) {
      const entries = getOrCreate(byName, name, () => []);
      const last = entries.at(-1);
      const repeats = last !== undefined && isSame(last.answer, answer);
      if (repeats) entries.pop();
      entries.push({ since: repeats ? last.since : answer.decision.at, answer });
      if (entries.length > MAX_PER_OBJECT) entries.shift();
    },
    at(name, at = Number.POSITIVE_INFINITY) {
      return byName.get(name)?.findLast(({ since }) => since <= at)?.answer;
    },
    forget(before, live, now) {
      for (const name of live) goneAt.delete(name);
      for (const [name, entries] of byName) {
        const current = entries.findLastIndex(({ since }) => since <= before);
        if (current > 0) entries.splice(0, current);
        if (live.has(name) || getOrCreate(goneAt, name, () => now) >= before) continue;
        byName.delete(name);
        goneAt.delete(name);
      }
    },
  };
}
