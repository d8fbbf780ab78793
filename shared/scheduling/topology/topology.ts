import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { findConflict, type Requirements } from '../../model/requirements/requirements.ts';
import { type Taint, untoleratedTaint } from '../../model/requirements/taints.ts';
import { onFirstUse } from '../input/memo.ts';
import type { Problem } from '../input/problem.ts';
import { isHeadroomSpec } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import { haveSameRules, listRules } from './pod-rules.ts';
import {
  countOwnersWithoutMoving,
  countRunningPods,
  countWithoutMoving,
  type PodOnNode,
  type RunningAntiAffinity,
  runningAntiAffinities,
} from './running-pod-counts.ts';
import { listTopologyDomains } from './topology-domains.ts';
import { createRuleIndex, isSelected, type TopologyRule } from './topology-rules.ts';

/**
 * A rule with its counts, shared by all pods that carry it; the counts move as pods are placed.
 * Counted are the pods that the selector selects; owners are pods that carry the rule, which for
 * anti-affinity bar the selected ones too.
 */
export interface TopologyGroup extends TopologyRule {
  /** Values that the key can take, on nodes that are there or may come; none for the hostname. */
  readonly domains: readonly string[];
  readonly counts: Map<string, number>;
  readonly owners: Map<string, number>;
}

/** How the rules concern one class. */
export interface ClassTopology {
  /** Rules that the class carries. */
  readonly owned: readonly { readonly group: TopologyGroup; readonly selectsSelf: boolean }[];
  /**
   * Preferred anti-affinity of the class by more than the host. Where pods run that it would rather
   * avoid it goes last; pods that wait with it are not kept apart, which would cost nodes.
   */
  readonly avoidedGroups: readonly TopologyGroup[];
  /** Anti-affinity of others that bars this class. */
  readonly barredBy: readonly TopologyGroup[];
  /** Rules that count pods of this class. */
  readonly countedBy: readonly TopologyGroup[];
}

/** The rules of one batch of pods. */
export interface Topology {
  of(cls: PodClass, relaxation: Relaxation): ClassTopology;
}

/** @param moving - pods of the batch that run somewhere: they no longer count there */
export function createTopology(
  problem: Problem,
  classes: readonly PodClass[],
  moving: readonly PodOnNode[],
): Topology {
  const { namespaces } = problem.snapshot;
  const groups = createGroups(problem, moving);
  // Rules of every class exist from the start, so that whoever is placed first is counted.
  for (const cls of classes)
    for (const rule of listRulesOfClass(cls, namespaces)) groups.intern(rule);
  for (const one of findBarringRules(classes, problem)) {
    const { owners } = groups.intern(one.rule);
    for (const [domain, count] of countOwnersWithoutMoving(one, moving, problem))
      owners.set(domain, count);
  }
  // Few rules ask, and nodes are many.
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
        .filter((group) => !isHeadroomSpec(cls.spec) || countsAffinity(group, carried));
      return {
        owned,
        avoidedGroups,
        barredBy: countedBy.filter(({ kind, isSoft }) => kind === 'anti-affinity' && !isSoft),
        countedBy,
      };
    },
  };
}

/** The groups of a batch, one for all equal rules. */
interface Groups {
  intern(rule: TopologyRule): TopologyGroup;
  /** Those that count the pods of the class. */
  findSelecting(cls: PodClass): readonly TopologyGroup[];
}

function createGroups(problem: Problem, moving: readonly PodOnNode[]): Groups {
  const groups = new Map<string, TopologyGroup>();
  const index = createRuleIndex<TopologyGroup>();
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

/** The rules of all ways to satisfy the class. */
function listRulesOfClass(
  cls: PodClass,
  namespaces: Problem['snapshot']['namespaces'],
): readonly TopologyRule[] {
  const { relaxations } = cls;
  const distinctRelaxations = relaxations.filter((relaxation, position) => {
    const previous = relaxations[position - 1];
    return !previous || !haveSameRules(previous, relaxation);
  });
  return distinctRelaxations.flatMap((relaxation) => listRules(cls, relaxation, namespaces));
}

/** The rules of running pods that bar some class of the batch. */
function findBarringRules(
  classes: readonly PodClass[],
  problem: Problem,
): readonly RunningAntiAffinity[] {
  const runningPods = runningAntiAffinities(problem);
  const index = createRuleIndex(runningPods.map(({ rule }) => rule));
  const barring = new Set(classes.flatMap((cls) => index.findSelecting(cls)));
  return runningPods.filter(({ rule }) => barring.has(rule));
}

/** Nobody joins pods that only stand for room, but those that stand for the same. */
const countsAffinity = (group: TopologyGroup, carried: readonly TopologyGroup[]): boolean =>
  group.kind !== 'affinity' || carried.includes(group);

const isAvoided = ({ kind, key, isSoft = false }: TopologyRule): boolean =>
  isSoft && kind === 'anti-affinity' && key !== HOSTNAME_LABEL;

/** A rule with a node filter does not count pods that can only run on nodes which it leaves out. */
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
    (ofNode) =>
      !untoleratedTaint(ofNode, tolerations) && !untoleratedTaint(ofNode, toleratedByFilter),
  );
}

/** What nodes are tainted with, those that are there and those that may come: each once. */
function listDistinctTaints({ bins, templates }: Problem): readonly (readonly Taint[])[] {
  const all = [...bins.map(({ taints }) => taints), ...templates.map(({ pool }) => pool.taints)];
  const toKey = (taints: readonly Taint[]) => (taints.length > 0 ? JSON.stringify(taints) : '');
  return [...new Map(all.map((taints) => [toKey(taints), taints])).values()];
}

function createGroup(
  rule: TopologyRule,
  problem: Problem,
  moving: readonly PodOnNode[],
): TopologyGroup {
  const runningPods = countRunningPods(rule, problem);
  return {
    ...rule,
    domains:
      rule.key === HOSTNAME_LABEL
        ? []
        : listTopologyDomains(rule, problem, runningPods.presentDomains),
    counts: countWithoutMoving(runningPods, rule, moving),
    owners: new Map(),
  };
}
