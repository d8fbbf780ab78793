import { matchesLabels, type Requirements, toRequirements } from '../../../model/requirements.ts';
import { tolerates } from '../../../model/taints.ts';
import { askedColumns, toVector, type Vector } from '../../data-structures/resource-vectors.ts';
import type { Problem } from '../../input/problem.ts';
import type { PodClass } from '../../pods/pod-classes.ts';
import { leastDemanding } from '../../pods/relaxations.ts';
import { runningCount } from '../../topology/running-pod-counts.ts';
import type { Topology, TopologyGroup } from '../../topology/topology.ts';
import { affinityRule, isSelected, type TopologyRule } from '../../topology/topology-rules.ts';
import { resourceScore } from './resource-score.ts';
import type { HostKind } from './simulated-nodes.ts';

/** A rule with the running pods that it selects, and with those that carry it, by domain. */
export interface Counted {
  /** Its place among those of the cast. */
  readonly number: number;
  readonly rule: TopologyRule;
  readonly counts: ReadonlyMap<string, number>;
  readonly owners: ReadonlyMap<string, number>;
}

/** How much pods are drawn to a domain for each pod that a rule selects there, or that carries it. */
export interface Leaning {
  readonly counted: Counted;
  /** Below 0: they are repelled. */
  readonly weight: number;
  /** Whom it counts. */
  readonly by: 'selected' | 'owners';
}

/** What kube-scheduler asks of a node for one pod of a class, whatever nodes there are. */
export interface Part {
  /** Its place in the cast. */
  readonly number: number;
  readonly cls: PodClass;
  readonly request: Vector;
  readonly asked: readonly number[];
  /** Who once found no host will find none, whatever is bound meanwhile. */
  readonly isPlain: boolean;
  readonly owned: readonly { readonly counted: Counted; readonly selectsSelf: boolean }[];
  readonly barredBy: readonly Counted[];
  /** Rules that count its pods, and rules that its pods carry where others look for the owners. */
  readonly countedBy: readonly Counted[];
  readonly carries: readonly Counted[];
  /** Spreads that are no condition. */
  readonly softSpreads: readonly Counted[];
  readonly near: readonly Leaning[];
  readonly judge: (kind: HostKind) => Verdict;
}

interface Verdict extends Liking {
  readonly suits: boolean;
  /** What its resources are worth with nothing of the batch bound; -1: no room. */
  readonly opening: number;
}

/** What a class thinks of nodes of a kind, beside their room. */
export interface Liking {
  /** Weight of the preferred node terms that it meets. */
  readonly wished: number;
  /** Taints that are not tolerated, but only ask pods to stay away. */
  readonly disliked: number;
}

/** The classes of a batch, and the rules among their pods, numbered. */
export interface Cast {
  readonly parts: readonly Part[];
  readonly partOf: ReadonlyMap<PodClass, Part>;
  readonly counted: readonly Counted[];
}

/** @param topology - with the pods that run counted, and none of the batch */
export function castOf(problem: Problem, classes: readonly PodClass[], topology: Topology): Cast {
  const all = new Map<string, Counted>();
  const count: Counting = (rule, counts, owners) => {
    const known = all.get(rule.id) ?? { number: all.size, rule, counts, owners };
    all.set(rule.id, known);
    return known;
  };
  const counting = (group: TopologyGroup): Counted => count(group, group.counts, group.owners);
  const softSpreads = new Map(
    classes.map((cls) => [cls, softSpreadsOf(cls, topology).map(counting)]),
  );
  const wishes = wishesOf(problem, classes, count);
  const isCounting = [...[...softSpreads.values()].flat(), ...wishes.map(({ counted }) => counted)];
  const parts = classes.map((cls, number) => {
    const [alternative] = leastDemanding(cls.spec);
    const request = toVector(problem.columns, cls.spec.requests);
    const asked = askedColumns(request);
    const { owned, barredBy, countedBy } = topology.of(cls, alternative);
    const own = softSpreads.get(cls) ?? [];
    const hard = countedBy.map(counting);
    const soft = unique(isCounting.filter(({ rule }) => isSelected(rule, cls)));
    return {
      ...{ number, cls, request, asked },
      isPlain: owned.length === 0,
      owned: owned.map(({ group, selectsSelf }) => ({ counted: counting(group), selectsSelf })),
      barredBy: barredBy.map(counting),
      countedBy: unique([...hard, ...soft]),
      carries: unique([
        ...owned.flatMap(({ group }) => (group.kind === 'anti-affinity' ? [counting(group)] : [])),
        ...wishes.flatMap(({ counted, owners }) => (owners.has(cls) ? [counted] : [])),
      ]),
      softSpreads: own,
      near: leaningsOf(cls, wishes),
      judge: rememberedVerdicts(cls, request, asked),
    };
  });
  return {
    parts,
    partOf: new Map(parts.map((part) => [part.cls, part])),
    counted: [...all.values()],
  };
}

/** Gives a rule its number, the same one whenever it is asked. */
type Counting = (
  rule: TopologyRule,
  counts: ReadonlyMap<string, number>,
  owners: ReadonlyMap<string, number>,
) => Counted;

const unique = (all: readonly Counted[]): Counted[] => [...new Set(all)];

/** Spreads that the class keeps as long as it may: they only move scores. */
function softSpreadsOf(cls: PodClass, topology: Topology): TopologyGroup[] {
  const [first] = cls.alternatives;
  const [alternative] = leastDemanding(cls.spec);
  if (!first || first.spreads.length === alternative.spreads.length) return [];
  const hard = new Set(topology.of(cls, alternative).owned.map(({ group }) => group.id));
  return topology
    .of(cls, first)
    .owned.flatMap(({ group }) => (group.kind === 'spread' && !hard.has(group.id) ? [group] : []));
}

/** A liking among pods, and who has it. */
interface Wish {
  readonly counted: Counted;
  /** Their weights for pods near by; what is required draws the others a little. */
  readonly owners: ReadonlyMap<PodClass, Weights>;
}

interface Weights {
  readonly liked: number;
  readonly required: number;
}

/** @see kube-scheduler, hardPodAffinityWeight: 1 by default */
const REQUIRED_WEIGHT = 1;

function wishesOf(problem: Problem, classes: readonly PodClass[], count: Counting): Wish[] {
  const wishes = new Map<string, { counted: Counted; owners: Map<PodClass, Weights> }>();
  for (const cls of classes) {
    const { spec } = cls;
    const add = (
      kind: 'affinity' | 'anti-affinity',
      term: (typeof spec.podAffinity)[number],
      liked: number,
      required: number,
    ) => {
      const rule = affinityRule(kind, term, cls, problem.snapshot.namespaces);
      const id = `drawn ${rule.id}`;
      const wish = wishes.get(id) ?? {
        counted: count({ ...rule, id }, runningCount(rule, problem).counts, new Map()),
        owners: new Map<PodClass, Weights>(),
      };
      wishes.set(id, wish);
      const known = wish.owners.get(cls) ?? { liked: 0, required: 0 };
      wish.owners.set(cls, { liked: known.liked + liked, required: known.required + required });
    };
    for (const { weight, term } of spec.preferredPodAffinity) add('affinity', term, weight, 0);
    for (const { weight, term } of spec.preferredPodAntiAffinity)
      add('anti-affinity', term, -weight, 0);
    for (const term of spec.podAffinity) add('affinity', term, 0, REQUIRED_WEIGHT);
  }
  return [...wishes.values()];
}

function leaningsOf(cls: PodClass, wishes: readonly Wish[]): Leaning[] {
  return wishes.flatMap(({ counted, owners }): Leaning[] => {
    const own = owners.get(cls)?.liked ?? 0;
    const leanings: Leaning[] = [];
    if (own !== 0) leanings.push({ counted, weight: own, by: 'selected' });
    // Who must be near them anyway is not drawn by it.
    if (isSelected(counted.rule, cls) && !owners.get(cls)?.required) {
      // Owners of one rule seldom differ in weight: the first stands for all.
      const [{ liked, required } = { liked: 0, required: 0 }] = owners.values();
      leanings.push({ counted, weight: liked + required, by: 'owners' });
    }
    return leanings;
  });
}

function rememberedVerdicts(
  { spec }: PodClass,
  request: Vector,
  asked: readonly number[],
): (kind: HostKind) => Verdict {
  const known: Verdict[] = [];
  const terms = leastDemanding(spec).map(({ strict }) => strict);
  const wishes = spec.preferredNodeTerms.map(({ weight, term }) => ({
    weight,
    wanted: toRequirements(term),
  }));
  const judge = ({ labels, taints, free, allocatable, isClosed = false }: HostKind): Verdict => {
    const open = taints.filter((taint) => !spec.tolerations.some((one) => tolerates(one, taint)));
    const meets = (wanted: Requirements) => matchesLabels(wanted, labels);
    return {
      suits:
        !isClosed && open.every(({ effect }) => effect === 'PreferNoSchedule') && terms.some(meets),
      opening: resourceScore(request, asked, free, allocatable),
      wished: wishes.reduce((sum, { weight, wanted }) => sum + (meets(wanted) ? weight : 0), 0),
      disliked: open.length,
    };
  };
  return (kind) => {
    const verdict = known[kind.number] ?? judge(kind);
    known[kind.number] = verdict;
    return verdict;
  };
}
