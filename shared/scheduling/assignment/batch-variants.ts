import type { Problem } from '../input/problem.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { listRules } from '../topology/pod-rules.ts';
import { createRuleIndex, isSelected, type TopologyRule } from '../topology/topology-rules.ts';
import type { PodGroup } from './pod-groups.ts';

/**
 * A way to assign a batch: the relaxations of its classes, and the order in which classes choose
 * domains.
 */
export interface BatchVariant {
  readonly classes: readonly PodClass[];
  readonly first: ReadonlySet<PodClass>;
  /** If true, pods of lower priority get only the room that other pods leave. */
  readonly byPriority: boolean;
}

/**
 * Compares classes by priority (if the variant says so), then puts the classes of `first` before
 * the others.
 */
export const createOrder =
  ({ first, byPriority }: BatchVariant) =>
  (a: PodClass, b: PodClass): number =>
    (byPriority ? b.spec.priority - a.spec.priority : 0) || Number(first.has(b)) - Number(first.has(a));

/** No class chooses before the others, so the result holds in any binding order. */
export const createOriginalVariant = (classes: readonly PodClass[]): BatchVariant => ({
  classes,
  first: new Set(),
  byPriority: false,
});

/**
 * The variant in which classes with a spread that counts only other pods choose first; undefined if
 * there is no such class.
 */
export function withSpreadingFirst(problem: Problem, variant: BatchVariant): BatchVariant | undefined {
  const first = findSpreadingOverOthers(problem, variant.classes);
  return first.size > 0 ? { ...variant, first } : undefined;
}

/**
 * Finds classes whose spread counts pods of other classes but not their own. Before those pods are
 * bound, such a class may use any domain. kube-scheduler binds by priority and age, so only classes
 * that are bound before all counted pods qualify.
 */
function findSpreadingOverOthers({ snapshot }: Problem, classes: readonly PodClass[]): ReadonlySet<PodClass> {
  const rules = new Map(classes.map((cls) => [cls, listSpreadsOverOthers(cls, snapshot.namespaces)] as const));
  const distinct = new Map([...rules.values()].flat().map((rule) => [rule.id, rule]));
  const index = createRuleIndex(distinct.values());
  const selected = new Map<string, EarliestBound>();
  for (const cls of classes) {
    for (const { id } of index.findSelecting(cls)) selected.set(id, pickEarlier(selected.get(id), cls));
  }
  const spreading = [...rules].filter(([cls, own]) => {
    const others = own.flatMap(({ id }) => selected.get(id) ?? []);
    return others.length > 0 && others.every((other) => comesBefore(cls, other));
  });
  return new Set(spreading.map(([cls]) => cls));
}

/** The earliest bound pods that a rule counts. */
interface EarliestBound {
  readonly priority: number;
  readonly earliest: number;
}

function pickEarlier(previous: EarliestBound | undefined, { spec, arrival }: PodClass): EarliestBound {
  const { priority } = spec;
  if (!previous || priority > previous.priority) return { priority, earliest: arrival.first };
  if (priority < previous.priority) return previous;
  return { priority, earliest: Math.min(previous.earliest, arrival.first) };
}

const comesBefore = ({ spec, arrival }: PodClass, other: EarliestBound): boolean =>
  spec.priority > other.priority || (spec.priority === other.priority && arrival.last <= other.earliest);

/** Lists the spreads of the class that do not count its own pods. */
function listSpreadsOverOthers(cls: PodClass, namespaces: Problem['snapshot']['namespaces']): readonly TopologyRule[] {
  const [preferred] = cls.relaxations;
  if (!preferred || preferred.spreads.length === 0) return [];
  return listRules(cls, preferred, namespaces).filter((rule) => rule.kind === 'spread' && !isSelected(rule, cls));
}

const canGiveUpSpread = ({ relaxations: [first, ...others] }: PodClass): boolean =>
  others.some(({ spreads }) => spreads.length !== first?.spreads.length);

/**
 * The variant in which a class that had to give up a spread for some pods gives it up for all: a
 * spread that cannot be kept by every pod may cost nodes without a benefit. Undefined if there is
 * no such class.
 */
export function withWholeClassesRelaxed(
  { classes, first, byPriority }: BatchVariant,
  podGroups: readonly PodGroup[],
): BatchVariant | undefined {
  const minLevels = new Map<PodClass, number>();
  const choosing = podGroups.filter(({ cls }) => canGiveUpSpread(cls));
  for (const [cls, own] of Map.groupBy(choosing, (podGroup) => podGroup.cls)) {
    const used = own.flatMap(({ relaxationIndex, count }) =>
      count > 0 ? (cls.relaxations[relaxationIndex] ?? []) : [],
    );
    const counts = new Set(used.map(({ spreads }) => spreads.length));
    if (counts.size > 1) minLevels.set(cls, Math.max(...used.map(({ level }) => level)));
  }
  if (minLevels.size === 0) return undefined;
  const replaced = new Map(
    classes.map((cls): [PodClass, PodClass] => {
      const minLevel = minLevels.get(cls);
      if (minLevel === undefined) return [cls, cls];
      const relaxations = cls.relaxations.filter(({ level }) => level >= minLevel);
      return [cls, { ...cls, relaxations }];
    }),
  );
  return {
    classes: [...replaced.values()],
    first: new Set([...first].map((cls) => replaced.get(cls) ?? cls)),
    byPriority,
  };
}
