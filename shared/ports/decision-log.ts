import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { ClusterEvent } from '../model/explanations/events.ts';
import type { PoolBackoff } from '../model/nodes/pool-backoff.ts';
import type { DisruptionCommand, DisruptionPlan, ProvisioningPlan } from '../model/plans.ts';
import type { PodKey } from '../model/pods/pod.ts';
import type { LaunchCaps } from '../model/settings.ts';
import type { EpochMs } from '../model/time.ts';
import type { PlannerPause } from './planning-state.ts';

/** Everything that a plan for pending pods depends on, besides the id of the decision. */
export interface ProvisioningInput {
  readonly kind: 'provisioning';
  readonly snapshot: ClusterSnapshot;
  readonly backoffs: ProvisioningBackoffs;
  readonly caps: CapState;
  /** If true, the plan includes pods that owners have still to create. */
  readonly anticipate: boolean;
  /** `undefined`: all pods are planned. */
  readonly heldBack?: HeldBackPods;
}

/** Pods that a plan leaves out, because planning them may end the process of the planner. */
export interface HeldBackPods {
  /** Left to the next plan, while the cause of a plan that did not end is searched. */
  readonly deferred: readonly PodKey[];
  readonly setAside: readonly SetAsidePods[];
  /** The planner pauses: nothing is planned. */
  readonly pause?: PlannerPause;
}

/** The pods of a workload whose planning ended the process of the planner. */
export interface SetAsidePods {
  readonly pods: readonly PodKey[];
  /** How often they were set aside in a row. */
  readonly failures: number;
  /** They are planned again at this time. */
  readonly until: EpochMs;
}

/** Launches that are withheld for a while because earlier ones failed. */
export interface ProvisioningBackoffs {
  /** Pools whose nodes did not register. */
  readonly registration: readonly PoolBackoff[];
  /** Pools whose launches EC2 refused. */
  readonly launch: readonly PoolBackoff[];
  /** Pod owners whose pods did not run on the nodes that a pool launched for them. */
  readonly placement: readonly PoolBackoff[];
}

/** The caps at one moment, and the amounts that they limit. */
export interface CapState extends Omit<LaunchCaps, 'maxNodes'> {
  /** `undefined` for no limit. */
  readonly maxNodes?: number;
  /** The largest number of ready nodes of the last day, if `maxNodes` follows from it. */
  readonly peak?: number;
  readonly use: CapUse;
}

/** The amounts that the caps limit. */
export interface CapUse {
  /** Launches of the last minute. */
  readonly launches: number;
  readonly usd: number;
  readonly nodes: number;
}

/** Everything that a plan of removals and replacements depends on, besides the id of the decision. */
export interface DisruptionInput {
  readonly kind: 'disruption';
  readonly snapshot: ClusterSnapshot;
  /** Commands in progress. */
  readonly running: readonly DisruptionCommand[];
  /** The proposal that the decision confirms; `undefined` for a new plan. */
  readonly proposal?: DisruptionCommand;
  /** `undefined`: the removal of every node is planned. */
  readonly heldBack?: HeldBackNodes;
  /** Set after a take-over from another owner: nothing is planned before this time. */
  readonly quietUntil?: EpochMs;
}

/** NodeClaims that are no candidates, because planning their removal may end the process of the planner. */
export interface HeldBackNodes {
  /** Left to the next plan, while the cause of a plan that did not end is searched. */
  readonly deferred: readonly string[];
  readonly setAside: readonly SetAsideNode[];
  /** The planner pauses: no removal is planned. */
  readonly pause?: PlannerPause;
  /** NodePools that may end the planner: they give no replacements either. */
  readonly pools?: readonly string[];
}

/** A NodeClaim the planning of whose removal ended the process of the planner. */
export interface SetAsideNode {
  readonly claim: string;
  /** How often it was set aside in a row. */
  readonly failures: number;
  /** Its removal is planned again at this time. */
  readonly until: EpochMs;
}

export type DecisionInput = ProvisioningInput | DisruptionInput;

interface DecisionFacts {
  readonly id: string;
  /** When the snapshot was taken. */
  readonly at: EpochMs;
  /** The time from the snapshot to the plan; `undefined` if it was not measured. */
  readonly tookMs?: number;
  /** Hashes are in the place of names, and the plan was made again; undefined for real names. */
  readonly redacted?: Redacted;
}

export interface Redacted {
  /** False if ties between names are broken otherwise than in the plan that took effect. */
  readonly samePlan: boolean;
}

/** A decision with its reasons, as it was made. */
export type Decision = DecisionFacts &
  (
    | {
        readonly kind: 'provisioning';
        readonly plan: ProvisioningPlan;
        readonly input?: ProvisioningInput;
      }
    | {
        readonly kind: 'disruption';
        readonly plan: DisruptionPlan;
        readonly input?: DisruptionInput;
      }
  );

/** The second look at a proposal, 15 s after it was made, for its nodes alone. */
export interface Confirmation extends DecisionFacts {
  readonly kind: 'confirmation';
  readonly plan: DisruptionPlan;
  readonly input: DisruptionInput;
}

/**
 * The log from which explanations, the feed and audits are read. A failed write never fails a
 * decision.
 */
export interface DecisionLog {
  /** Called after the decision has taken effect. */
  recordDecision(decision: Decision): Promise<void>;
  recordConfirmation(confirmation: Confirmation): Promise<void>;
  recordEvent(event: ClusterEvent): Promise<void>;
  /** Waits for what is written in the background; `undefined` if nothing is. */
  flush?(): Promise<void>;
}
