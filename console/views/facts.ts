import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { formatReason, type Reason } from '../../shared/model/explanations/reasons.ts';
import type { Offering } from '../../shared/model/offerings/instance-type.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { shortenTimes } from '../format.ts';
import type { NodeClassView } from '../screen-views.ts';
import type { ClockView, DemoView, InfoView, LowerBound, WorkloadView } from '../views.ts';
import type { DecisionIndex } from './decision-index.ts';
import type { PodCache } from './pod-view.ts';

/** The input of all views at one instant. */
export interface ConsoleFacts {
  readonly info: InfoView;
  readonly clock: ClockView;
  readonly snapshot: ClusterSnapshot;
  readonly commands: readonly DisruptionCommand[];
  readonly decisions: DecisionIndex;
  readonly pods: PodCache;
  /** Milliseconds from creation to running, for pods that ran. */
  readonly waitsMs: readonly number[];
  readonly spentUsd?: number;
  readonly bound?: LowerBound;
  readonly notices?: readonly string[];
  /** The removal that the planner would do now, in a cluster that others scale. */
  readonly proposal?: DisruptionCommand;
  /** Prices of nodes that were not launched for a claim. */
  readonly priceOf?: PriceOf;
  /** AMIs and subnets; undefined for those of the snapshot. */
  readonly nodeClasses?: readonly NodeClassFacts[];
  /** Workloads that the user may scale, and offerings; undefined outside of the playground. */
  readonly playable?: Playable;
}

/** Finds the price per hour; undefined if it is unknown. */
export type PriceOf = (offering: Omit<Offering, 'hourlyUsd'>) => number | undefined;

/** The AMIs and subnets that an EC2NodeClass has found. */
export interface NodeClassFacts extends NodeClassView {
  readonly name: string;
}

export interface Playable {
  readonly workloads: readonly WorkloadView[];
  readonly zones: readonly string[];
  readonly instanceTypes: readonly string[];
  readonly pools: readonly string[];
  readonly demo?: DemoView;
}

/** Formats a reason with times of day, as everywhere on the page. */
export const reasonSentence = (reason: Reason): string => shortenTimes(formatReason(reason));
