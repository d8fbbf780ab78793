import type { ClusterSnapshot } from '../shared/model/cluster-snapshot.ts';
import type { KarpenterReport } from '../shared/model/karpenter-report.ts';
import type { DisruptionCommand } from '../shared/model/plans.ts';
import type { Decision } from '../shared/ports/decision-log.ts';
import type { PlayActions } from './source.ts';
import type { NumberedEvent } from './views/events.ts';
import type { NodeClassFacts, Playable, PriceOf } from './views/facts.ts';
import type { CostPoint } from './views/series.ts';
import type { ClockView, InfoView } from './views.ts';

/** A cluster at one instant, as the planner sees it. */
export interface ModelFrame {
  readonly snapshot: ClusterSnapshot;
  /** Removals and replacements in progress. */
  readonly commands: readonly DisruptionCommand[];
  /** Sentences about what could not be read, and what is unknown because of it. */
  readonly notices?: readonly string[];
  /** The removal or replacement that the planner would do now; in a cluster that others scale. */
  readonly proposal?: DisruptionCommand;
  /** Events and conditions of a Karpenter that runs in the cluster. */
  readonly reports?: readonly KarpenterReport[];
  /** The same cluster as if NodePools scaled it, for the lower bound; undefined if they do. */
  readonly assumed?: ClusterSnapshot;
  /** The AMIs and subnets of the EC2NodeClasses; undefined for those of the snapshot. */
  readonly nodeClasses?: readonly NodeClassFacts[];
  /** Prices of nodes that the catalogue of the snapshot does not contain. */
  readonly priceOf?: PriceOf;
}

/** Where the console's frames come from: a simulation, a live cluster, or a snapshot file. */
export interface ModelFeed {
  readonly info: Omit<InfoView, 'instance'>;
  clock(): ClockView;
  observe(): Promise<ModelFrame>;
  /** The newest decisions, oldest first. */
  decisions(): readonly Decision[];
  /** The newest events, oldest first. */
  events(): readonly NumberedEvent[];
  /** Calls the listener after each change; returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Milliseconds from creation to running, for pods that ran. */
  waitsMs(): readonly number[];
  /** The exact curve, if the feed records one; else it is taken from the frames. */
  readonly costs?: () => readonly CostPoint[];
  readonly playable?: (snapshot: ClusterSnapshot) => Playable;
  readonly play?: PlayActions;
}
