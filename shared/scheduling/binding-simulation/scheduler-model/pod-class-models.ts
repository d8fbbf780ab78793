import { getOrCreate } from '../../../model/memo.ts';
import { matchesLabels, type Requirements, toRequirements } from '../../../model/requirements/requirements.ts';
import { tolerates } from '../../../model/requirements/taints.ts';
import { listRequestedColumns, toVector, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { listFullyRelaxed } from '../../pods/relaxations.ts';
import type { Topology, TopologyGroup } from '../../topology/topology.ts';
import { isSelected } from '../../topology/topology-rules.ts';
import type { NodeKind } from './node-models.ts';
import {
  type AffinityWeight,
  listAffinityWeights,
  listPodPreferences,
  type TrackedRule,
  type TrackRule,
} from './pod-preferences.ts';
import { computeResourceScore } from './resource-score.ts';

/** The inputs of kube-scheduler's decision for a pod of one class, independent of the nodes. */
export interface PodClassModel {
  /** Index among the pod classes of the batch. */
  readonly number: number;
  readonly cls: PodClass;
  readonly request: Vector;
  readonly requestedColumns: readonly number[];
  /**
   * True if no topology rule constrains the class: a pod that finds no node will not find one later
   * either.
   */
  readonly hasNoOwnRules: boolean;
  readonly owned: readonly { readonly counted: TrackedRule; readonly selectsSelf: boolean }[];
  readonly barredBy: readonly TrackedRule[];
  /**
   * `countedBy`: rules that count pods of the class. `carriedRules`: rules of the class for which
   * kube-scheduler counts the pods that carry the rule.
   */
  readonly countedBy: readonly TrackedRule[];
  readonly carriedRules: readonly TrackedRule[];
  /** Spread constraints with `ScheduleAnyway`: they only change scores. */
  readonly softSpreads: readonly TrackedRule[];
  readonly affinityWeights: readonly AffinityWeight[];
  readonly evaluateNode: (kind: NodeKind) => NodeEvaluation;
}

export interface NodeEvaluation extends NodePreference {
  readonly isEligible: boolean;
  /** Resource score before any pod of the batch is bound; -1 if the pod does not fit. */
  readonly initialScore: number;
}

/** The inputs of the scores for preferred node affinity and PreferNoSchedule taints on one node. */
export interface NodePreference {
  /** Sum of the weights of the preferred node terms that the node matches. */
  readonly preferredWeight: number;
  /** Number of PreferNoSchedule taints that the pod does not tolerate. */
  readonly avoidedTaints: number;
}

/** The pod classes of a batch and the topology rules among their pods, both numbered. */
export interface PodClassModels {
  readonly models: readonly PodClassModel[];
  readonly modelByClass: ReadonlyMap<PodClass, PodClassModel>;
  readonly trackedRules: readonly TrackedRule[];
}

/**
 * @param topology - counts the pods that run, and no pod of the batch
 */
export function buildPodClassModels(
  problem: Problem,
  classes: readonly PodClass[],
  topology: Topology,
): PodClassModels {
  const all = new Map<string, TrackedRule>();
  const trackRule: TrackRule = (rule, counts, owners) => {
    return getOrCreate(all, rule.id, () => ({ number: all.size, rule, counts, owners }));
  };
  const trackGroup = (group: TopologyGroup): TrackedRule => trackRule(group, group.counts, group.owners);
  const softSpreads = new Map(classes.map((cls) => [cls, listSoftSpreads(cls, topology).map(trackGroup)]));
  const preferences = listPodPreferences(problem, classes, trackRule);
  const scoringRules = [...[...softSpreads.values()].flat(), ...preferences.map(({ counted }) => counted)];
  const models = classes.map((cls, number): PodClassModel => {
    const [relaxation] = listFullyRelaxed(cls.spec);
    const request = toVector(problem.columns, cls.spec.requests);
    const requestedColumns = listRequestedColumns(request);
    const { owned, barredBy, countedBy } = topology.of(cls, relaxation);
    const requiredRules = countedBy.map(trackGroup);
    const preferredRules = unique(scoringRules.filter(({ rule }) => isSelected(rule, cls)));
    return {
      ...{ number, cls, request, requestedColumns },
      hasNoOwnRules: owned.length === 0,
      owned: owned.map(({ group, selectsSelf }) => ({ counted: trackGroup(group), selectsSelf })),
      barredBy: barredBy.map(trackGroup),
      countedBy: unique([...requiredRules, ...preferredRules]),
      carriedRules: unique([
        ...owned.flatMap(({ group }) => (group.kind === 'anti-affinity' ? [trackGroup(group)] : [])),
        ...preferences.flatMap(({ counted, owners }) => (owners.has(cls) ? [counted] : [])),
      ]),
      softSpreads: softSpreads.get(cls) ?? [],
      affinityWeights: listAffinityWeights(cls, preferences),
      evaluateNode: createNodeEvaluator(cls, request, requestedColumns),
    };
  });
  return {
    models,
    modelByClass: new Map(models.map((model) => [model.cls, model])),
    trackedRules: [...all.values()],
  };
}

const unique = (all: readonly TrackedRule[]): TrackedRule[] => [...new Set(all)];

/**
 * Lists the `ScheduleAnyway` spread constraints of the class: those that its last relaxation drops.
 */
function listSoftSpreads(cls: PodClass, topology: Topology): TopologyGroup[] {
  const [first] = cls.relaxations;
  const [relaxation] = listFullyRelaxed(cls.spec);
  if (!first || first.spreads.length === relaxation.spreads.length) return [];
  const requiredIds = new Set(topology.of(cls, relaxation).owned.map(({ group }) => group.id));
  return topology
    .of(cls, first)
    .owned.flatMap(({ group }) => (group.kind === 'spread' && !requiredIds.has(group.id) ? [group] : []));
}

function createNodeEvaluator(
  { spec }: PodClass,
  request: Vector,
  requestedColumns: readonly number[],
): (kind: NodeKind) => NodeEvaluation {
  const cached: NodeEvaluation[] = [];
  const terms = listFullyRelaxed(spec).map(({ strict }) => strict);
  const preferredTerms = spec.preferredNodeTerms.map(({ weight, term }) => ({
    weight,
    requirements: toRequirements(term),
  }));
  const evaluateNode = ({ labels, taints, free, allocatable, isUnschedulable = false }: NodeKind): NodeEvaluation => {
    const untolerated = taints.filter((taint) => !spec.tolerations.some((one) => tolerates(one, taint)));
    const meets = (requirements: Requirements) => matchesLabels(requirements, labels);
    return {
      isEligible:
        !isUnschedulable && untolerated.every(({ effect }) => effect === 'PreferNoSchedule') && terms.some(meets),
      initialScore: computeResourceScore(request, requestedColumns, free, allocatable),
      preferredWeight: preferredTerms.reduce(
        (sum, { weight, requirements }) => sum + (meets(requirements) ? weight : 0),
        0,
      ),
      avoidedTaints: untolerated.length,
    };
  };
  return (kind) => {
    const evaluation = cached[kind.number] ?? evaluateNode(kind);
    cached[kind.number] = evaluation;
    return evaluation;
  };
}

/** The rules and ports that are compared when a pod of the class looks at a node. */
export const countOperationsPerNode = ({ owned, barredBy, affinityWeights, cls }: PodClassModel): number =>
  0.2 + (owned.length + barredBy.length + affinityWeights.length) / 4 + cls.spec.hostPorts.length / 2;
