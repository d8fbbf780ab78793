import type { Problem } from '../input/problem.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { listRules } from '../topology/pod-rules.ts';
import { createRuleIndex, isSelected, type TopologyRule } from '../topology/topology-rules.ts';
import type { Unit } from './pod-groups.ts';

/** How a batch is taken: which ways its classes have, and who chooses domains before the others. */
export interface Reading {
  readonly classes: readonly PodClass[];
  readonly first: ReadonlySet<PodClass>;
  /** Whether pods of lower priority get only what the others leave. */
  readonly byPriority: boolean;
}

/** Who is served before whom, whatever they ask for. */
export const turnsOf =
  ({ first, byPriority }: Reading) =>
  (a: PodClass, b: PodClass): number =>
    (byPriority ? b.spec.priority - a.spec.priority : 0) ||
    Number(first.has(b)) - Number(first.has(a));

/** Nobody chooses before the others: it holds whoever is bound first. */
export const asWritten = (classes: readonly PodClass[]): Reading => ({
  classes,
  first: new Set(),
  byPriority: false,
});

/** The same with those who only watch others choosing before them. Undefined: there are none. */
export function watchersFirst(problem: Problem, reading: Reading): Reading | undefined {
  const first = watchersIn(problem, reading.classes);
  return first.size > 0 ? { ...reading, first } : undefined;
}

/**
 * Pods spread by the counts of others, whom they do not join: before the others are bound they may
 * go anywhere. kube-scheduler takes its pods by priority and age, so this holds only for those that
 * come before all they count.
 */
function watchersIn({ snapshot }: Problem, classes: readonly PodClass[]): ReadonlySet<PodClass> {
  const rules = new Map(
    classes.map((cls) => [cls, rulesOnOthers(cls, snapshot.namespaces)] as const),
  );
  const distinct = new Map([...rules.values()].flat().map((rule) => [rule.id, rule]));
  const index = createRuleIndex(distinct.values());
  const watched = new Map<string, FirstOfAll>();
  for (const cls of classes) {
    for (const { id } of index.findSelecting(cls)) watched.set(id, sooner(watched.get(id), cls));
  }
  const watchers = [...rules].filter(([cls, own]) => {
    const others = own.flatMap(({ id }) => watched.get(id) ?? []);
    return others.length > 0 && others.every((other) => comesBefore(cls, other));
  });
  return new Set(watchers.map(([cls]) => cls));
}

/** Of the pods that a rule counts, those that are bound first. */
interface FirstOfAll {
  readonly priority: number;
  readonly earliest: number;
}

function sooner(known: FirstOfAll | undefined, { spec, arrival }: PodClass): FirstOfAll {
  const { priority } = spec;
  if (!known || priority > known.priority) return { priority, earliest: arrival.first };
  if (priority < known.priority) return known;
  return { priority, earliest: Math.min(known.earliest, arrival.first) };
}

const comesBefore = ({ spec, arrival }: PodClass, other: FirstOfAll): boolean =>
  spec.priority > other.priority ||
  (spec.priority === other.priority && arrival.last <= other.earliest);

/** The spreads of the class that do not count its own pods. */
function rulesOnOthers(
  cls: PodClass,
  namespaces: Problem['snapshot']['namespaces'],
): readonly TopologyRule[] {
  const [wanted] = cls.relaxations;
  if (!wanted || wanted.spreads.length === 0) return [];
  return listRules(cls, wanted, namespaces).filter(
    (rule) => rule.kind === 'spread' && !isSelected(rule, cls),
  );
}

const mayGiveUpSpread = ({ relaxations: [first, ...others] }: PodClass): boolean =>
  others.some(({ spreads }) => spreads.length !== first?.spreads.length);

/**
 * The same with classes that had to give up a spread for some of their pods giving it up for all:
 * a spread that cannot be had whole may cost nodes for nothing. Undefined: there are none.
 */
export function relaxedWhole(
  { classes, first, byPriority }: Reading,
  units: readonly Unit[],
): Reading | undefined {
  const given = new Map<PodClass, number>();
  const choosing = units.filter(({ cls }) => mayGiveUpSpread(cls));
  for (const [cls, own] of Map.groupBy(choosing, (unit) => unit.cls)) {
    const used = own.flatMap(({ way, count }) => (count > 0 ? (cls.relaxations[way] ?? []) : []));
    const counts = new Set(used.map(({ spreads }) => spreads.length));
    if (counts.size > 1) given.set(cls, Math.max(...used.map(({ level }) => level)));
  }
  if (given.size === 0) return undefined;
  const replaced = new Map(
    classes.map((cls): [PodClass, PodClass] => {
      const least = given.get(cls);
      if (least === undefined) return [cls, cls];
      const relaxations = cls.relaxations.filter(({ level }) => level >= least);
      return [cls, { ...cls, relaxations }];
    }),
  );
  return {
    classes: [...replaced.values()],
    first: new Set([...first].map((cls) => replaced.get(cls) ?? cls)),
    byPriority,
  };
}
