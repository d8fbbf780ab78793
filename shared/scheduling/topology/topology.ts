import { HOSTNAME_LABEL } from '../../model/labels.ts';
import { findConflict, type Requirements } from '../../model/requirements.ts';
import { type Taint, untoleratedTaint } from '../../model/taints.ts';
import { onFirstUse } from '../input/memo.ts';
import type { Alternative } from '../pods/relaxations.ts';
import { isHeadroom } from '../pods/buffer-pods.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import { haveSameRules, rulesOf } from './pod-rules.ts';
import { domainsOf } from './topology-domains.ts';
import { isSelected, ruleIndex, type TopologyRule } from './topology-rules.ts';
import {
  countWithout,
  ownersWithout,
  type PodOnBin,
  type RunningRule,
  runningCount,
  runningRules,
} from './running-pod-counts.ts';

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
  readonly avoided: readonly TopologyGroup[];
  /** Anti-affinity of others that bars this class. */
  readonly barredBy: readonly TopologyGroup[];
  /** Rules that count pods of this class. */
  readonly countedBy: readonly TopologyGroup[];
}

/** The rules of one batch of pods. */
export interface Topology {
  of(cls: PodClass, alternative: Alternative): ClassTopology;
}

/** @param moving - pods of the batch that run somewhere: they no longer count there */
export function topologyOf(
  problem: Problem,
  classes: readonly PodClass[],
  moving: readonly PodOnBin[],
): Topology {
  const { namespaces } = problem.snapshot;
  const groups = startGroups(problem, moving);
  // Rules of every class exist from the start, so that whoever is placed first is counted.
  for (const cls of classes) for (const rule of rulesIn(cls, namespaces)) groups.intern(rule);
  for (const one of barringRules(classes, problem)) {
    const { owners } = groups.intern(one.rule);
    for (const [domain, count] of ownersWithout(one, moving, problem)) owners.set(domain, count);
  }
  // Few rules ask, and nodes are many.
  const taintsNow = onFirstUse(() => taintsThatAre(problem));
  return {
    of(cls, alternative) {
      const carried = rulesOf(cls, alternative, namespaces).map(groups.intern);
      const avoided = carried.filter(isAvoided);
      const owned = carried
        .filter((group) => !isAvoided(group))
        .map((group) => ({ group, selectsSelf: isSelected(group, cls) }));
      const countedBy = groups
        .selecting(cls)
        .filter((group) => mayCount(group, alternative, taintsNow))
        .filter((group) => !isHeadroom(cls.spec) || isCompany(group, carried));
      return {
        owned,
        avoided,
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
  selecting(cls: PodClass): readonly TopologyGroup[];
}

function startGroups(problem: Problem, moving: readonly PodOnBin[]): Groups {
  const groups = new Map<string, TopologyGroup>();
  const index = ruleIndex<TopologyGroup>();
  return {
    intern(rule) {
      const known = groups.get(rule.id);
      if (known) return known;
      const group = startGroup(rule, problem, moving);
      groups.set(rule.id, group);
      index.add(group);
      return group;
    },
    selecting: (cls) => index.selecting(cls),
  };
}

/** The rules of all ways to satisfy the class. */
function rulesIn(
  cls: PodClass,
  namespaces: Problem['snapshot']['namespaces'],
): readonly TopologyRule[] {
  const { alternatives } = cls;
  const telling = alternatives.filter((way, position) => {
    const last = alternatives[position - 1];
    return !last || !haveSameRules(last, way);
  });
  return telling.flatMap((way) => rulesOf(cls, way, namespaces));
}

/** The rules of running pods that bar some class of the batch. */
function barringRules(classes: readonly PodClass[], problem: Problem): readonly RunningRule[] {
  const running = runningRules(problem);
  const index = ruleIndex(running.map(({ rule }) => rule));
  const barring = new Set(classes.flatMap((cls) => index.selecting(cls)));
  return running.filter(({ rule }) => barring.has(rule));
}

/** Nobody joins pods that only stand for room, but those that stand for the same. */
const isCompany = (group: TopologyGroup, carried: readonly TopologyGroup[]): boolean =>
  group.kind !== 'affinity' || carried.includes(group);

const isAvoided = ({ kind, key, isSoft = false }: TopologyRule): boolean =>
  isSoft && kind === 'anti-affinity' && key !== HOSTNAME_LABEL;

/** A rule with a node filter does not count pods that can only run on nodes which it leaves out. */
function mayCount(
  { filter }: TopologyRule,
  { strict, tolerations }: Alternative,
  taintsNow: () => readonly (readonly Taint[])[],
): boolean {
  const wanted = filter?.anyOf;
  const meets = (term: Requirements) => !findConflict(strict, term, new Set(term.keys()));
  if (wanted && !wanted.some(meets)) return false;
  const tolerated = filter?.tolerations;
  if (!tolerated) return true;
  const taints = taintsNow();
  if (taints.length === 0) return true;
  return taints.some(
    (ofNode) => !untoleratedTaint(ofNode, tolerations) && !untoleratedTaint(ofNode, tolerated),
  );
}

/** What nodes are tainted with, those that are there and those that may come: each once. */
function taintsThatAre({ bins, templates }: Problem): readonly (readonly Taint[])[] {
  const all = [...bins.map(({ taints }) => taints), ...templates.map(({ pool }) => pool.taints)];
  const textOf = (taints: readonly Taint[]) => (taints.length > 0 ? JSON.stringify(taints) : '');
  return [...new Map(all.map((taints) => [textOf(taints), taints])).values()];
}

function startGroup(
  rule: TopologyRule,
  problem: Problem,
  moving: readonly PodOnBin[],
): TopologyGroup {
  const running = runningCount(rule, problem);
  return {
    ...rule,
    domains: rule.key === HOSTNAME_LABEL ? [] : domainsOf(rule, problem, running.present),
    counts: countWithout(running, rule, moving),
    owners: new Map(),
  };
}
