import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { onFirstUse } from '../../model/memo.ts';
import { findConflict, type Requirements } from '../../model/requirements/requirements.ts';
import { findUntoleratedTaint, type Taint } from '../../model/requirements/taints.ts';
import type { Problem } from '../input/problem.ts';
import { isBufferPodSpec } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import { haveSameRules, listRules } from './pod-rules.ts';
import {
  countLeavingPods,
  countOwnersWithoutMovingPods,
  countRunningPods,
  countWithoutMovingPods,
  listRunningAntiAffinities,
  type PodOnNode,
  type RunningAntiAffinity,
} from './running-pod-counts.ts';
import { listTopologyDomains } from './topology-domains.ts';
import { createRuleIndex, isSelected, type TopologyRule } from './topology-rules.ts';

/**
 * A rule with its counts, shared by all pods that carry it. The counts change as pods are placed.
 * `counts` counts the pods that the selector selects; `owners` counts the pods that carry the rule,
 * because anti-affinity also keeps the selected pods away from them.
 */
export interface TopologyGroup extends TopologyRule {
  /** Values that the key can take on existing or new nodes; empty for the hostname. */
  readonly domains: readonly string[];
  readonly counts: Map<string, number>;
  readonly owners: Map<string, number>;
  /** The part of the counts that other pods must not join, because it is about to move elsewhere. */
  readonly leaving: ReadonlyMap<string, number>;
}

/** The rules that concern one class. */
export interface ClassTopology {
  /** Rules that the class carries. */
  readonly owned: readonly { readonly group: TopologyGroup; readonly selectsSelf: boolean }[];
  /**
   * Preferred anti-affinity rules of the class with a key other than the hostname. Domains with
   * pods that it prefers to avoid are excluded until the preference is relaxed. Pods of the same batch are not kept apart, because
   * that would cost nodes.
   */
  readonly avoidedGroups: readonly TopologyGroup[];
  /** Anti-affinity rules of other pods that keep this class away. */
  readonly barredBy: readonly TopologyGroup[];
  /** Rules that count pods of this class. */
  readonly countedBy: readonly TopologyGroup[];
}

/** The topology rules of one batch of pods. */
export interface Topology {
  of(cls: PodClass, relaxation: Relaxation): ClassTopology;
}

/**
 * @param moving - pods of the batch that run now: they are no longer counted on their nodes
 */
export function createTopology(problem: Problem, classes: readonly PodClass[], moving: readonly PodOnNode[]): Topology {
  const { work } = problem;
  const { namespaces } = problem.snapshot;
  const groups = createGroups(problem, moving);
  // The rules of all classes are created up front, so that pods that are placed first are counted
  // for classes that follow.
  for (const cls of classes) {
    const rules = listRulesOfClass(cls, namespaces);
    work.spend(cls.relaxations.length);
    for (const { id } of rules) work.spend(OPERATIONS_PER_RULE + id.length / CHARACTERS_PER_OPERATION);
    for (const rule of rules) groups.intern(rule);
  }
  for (const one of findBarringRules(classes, problem)) {
    const { owners } = groups.intern(one.rule);
    for (const [domain, count] of countOwnersWithoutMovingPods(one, moving, problem)) owners.set(domain, count);
  }
  // Lazy: only rules with nodeTaintsPolicy Honor need the taints, and there are many nodes.
  const listTaints = onFirstUse(() => listDistinctTaints(problem));
  return {
    of(cls, relaxation) {
      const carried = listRules(cls, relaxation, namespaces).map(groups.intern);
      const avoidedGroups = carried.filter(isAvoided);
      const owned = carried
        .filter((group) => !isAvoided(group))
        .map((group) => ({ group, selectsSelf: isSelected(group, cls) }));
      const countedBy = groups
        .findSelecting(cls)
        .filter((group) => canCountPods(group, relaxation, listTaints))
        .filter((group) => !isBufferPodSpec(cls.spec) || countsAffinity(group, carried));
      work.spend(OPERATIONS_PER_RULE + 3 * (carried.length + countedBy.length));
      return {
        owned,
        avoidedGroups,
        barredBy: countedBy.filter(({ kind, isSoft }) => kind === 'anti-affinity' && !isSoft),
        countedBy,
      };
    },
  };
}

const OPERATIONS_PER_RULE = 20;
/** A rule is identified by a text, which lists its values and namespaces. */
const CHARACTERS_PER_OPERATION = 20;

/** The groups of a batch: equal rules share one group. */
interface Groups {
  intern(rule: TopologyRule): TopologyGroup;
  /** Lists the groups that count pods of the class. */
  findSelecting(cls: PodClass): readonly TopologyGroup[];
}

function createGroups(problem: Problem, moving: readonly PodOnNode[]): Groups {
  const groups = new Map<string, TopologyGroup>();
  const index = createRuleIndex<TopologyGroup>([], problem.work.spend);
  return {
    intern(rule) {
      const cached = groups.get(rule.id);
      if (cached) return cached;
      const group = createGroup(rule, problem, moving);
      groups.set(rule.id, group);
      index.add(group);
      return group;
    },
    findSelecting: (cls) => index.findSelecting(cls),
  };
}

/** Lists the rules of all relaxations of the class. */
function listRulesOfClass(cls: PodClass, namespaces: Problem['snapshot']['namespaces']): readonly TopologyRule[] {
  const { relaxations } = cls;
  const distinctRelaxations = relaxations.filter((relaxation, position) => {
    const previous = relaxations[position - 1];
    return !previous || !haveSameRules(previous, relaxation);
  });
  return distinctRelaxations.flatMap((relaxation) => listRules(cls, relaxation, namespaces));
}

/** Lists the anti-affinity rules of running pods that keep some class of the batch away. */
function findBarringRules(classes: readonly PodClass[], problem: Problem): readonly RunningAntiAffinity[] {
  // A pod on a node without the key is in no domain, so its rule keeps no pod away.
  const running = listRunningAntiAffinities(problem).filter(({ owners }) => owners.size > 0);
  if (running.length === 0) return running;
  const index = createRuleIndex(running.map(({ rule }) => rule));
  const barringRules = new Set(classes.flatMap((cls) => index.findSelecting(cls)));
  return running.filter(({ rule }) => barringRules.has(rule));
}

/** Pods do not join the affinity of buffer pods, except other pods of the same buffer. */
const countsAffinity = (group: TopologyGroup, carried: readonly TopologyGroup[]): boolean =>
  group.kind !== 'affinity' || carried.includes(group);

const isAvoided = ({ kind, key, isSoft = false }: TopologyRule): boolean =>
  isSoft && kind === 'anti-affinity' && key !== HOSTNAME_LABEL;

/**
 * A rule with a node filter does not count pods that can only run on nodes that the filter
 * excludes.
 */
function canCountPods(
  { filter }: TopologyRule,
  { strict, tolerations }: Relaxation,
  listTaints: () => readonly (readonly Taint[])[],
): boolean {
  const allowedTerms = filter?.anyOf;
  const meets = (term: Requirements) => !findConflict(strict, term, new Set(term.keys()));
  if (allowedTerms && !allowedTerms.some(meets)) return false;
  const toleratedByFilter = filter?.tolerations;
  if (!toleratedByFilter) return true;
  const taints = listTaints();
  if (taints.length === 0) return true;
  return taints.some(
    (ofNode) => !findUntoleratedTaint(ofNode, tolerations) && !findUntoleratedTaint(ofNode, toleratedByFilter),
  );
}

/** Lists the distinct sets of taints of existing nodes and NodePools. */
function listDistinctTaints({ existingNodes, nodeTemplates: templates }: Problem): readonly (readonly Taint[])[] {
  const all = [...existingNodes.map(({ taints }) => taints), ...templates.map(({ pool }) => pool.taints)];
  const toKey = (taints: readonly Taint[]) => (taints.length > 0 ? JSON.stringify(taints) : '');
  return [...new Map(all.map((taints) => [toKey(taints), taints])).values()];
}

function createGroup(rule: TopologyRule, problem: Problem, moving: readonly PodOnNode[]): TopologyGroup {
  const running = countRunningPods(rule, problem);
  return {
    ...rule,
    domains: rule.key === HOSTNAME_LABEL ? [] : listTopologyDomains(rule, problem, running.presentDomains),
    counts: countWithoutMovingPods(running, rule, moving),
    owners: new Map(),
    leaving: countLeavingPods(rule, moving, problem),
  };
}
