import { type Pod, podKey } from '../model/pod.ts';
import type { Unit } from './packing/units.ts';
import type { PodClass } from './pods/pod-classes.ts';
import type { Problem } from './problem.ts';
import { isSelected, rulesOf } from './topology/topology-rules.ts';

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

/** The orders in which classes may choose their domains; the first holds whoever is bound first. */
export function readingsOf(
  problem: Problem,
  batch: readonly Pod[],
  classes: readonly PodClass[],
): readonly [Reading, ...Reading[]] {
  const written: Reading = { classes, first: new Set(), byPriority: false };
  const watchers = watchersIn(problem, batch, classes);
  return watchers.size > 0 ? [written, { ...written, first: watchers }] : [written];
}

/**
 * Pods spread by the counts of others, whom they do not join: before the others are bound they may
 * go anywhere. kube-scheduler takes its pods by priority and age, so this holds only for those that
 * come before all they count.
 */
function watchersIn(
  { snapshot }: Problem,
  batch: readonly Pod[],
  classes: readonly PodClass[],
): ReadonlySet<PodClass> {
  const watching = classes.flatMap((cls) => {
    const watched = watchedBy(cls, classes, snapshot.namespaces);
    return watched.length > 0 ? [{ cls, watched }] : [];
  });
  if (watching.length === 0) return new Set();

  const byKey = new Map(batch.map((pod) => [podKey(pod), pod]));
  const agesOf = ({ pods }: PodClass) => pods.map((key) => comingAt(byKey.get(key)));
  const comesFirst = (one: PodClass, other: PodClass): boolean =>
    one.spec.priority > other.spec.priority ||
    (one.spec.priority === other.spec.priority &&
      Math.max(...agesOf(one)) <= Math.min(...agesOf(other)));
  return new Set(
    watching
      .filter(({ cls, watched }) => watched.every((other) => comesFirst(cls, other)))
      .map(({ cls }) => cls),
  );
}

function watchedBy(
  cls: PodClass,
  classes: readonly PodClass[],
  namespaces: Problem['snapshot']['namespaces'],
): readonly PodClass[] {
  const [wanted] = cls.alternatives;
  if (!wanted || wanted.spreads.length === 0) return [];
  const rules = rulesOf(cls, wanted, namespaces).filter(
    (rule) => rule.kind === 'spread' && !isSelected(rule, cls),
  );
  if (rules.length === 0) return [];
  return classes.filter((other) => rules.some((rule) => isSelected(rule, other)));
}

/** Pods that still run come back as new ones, after all that wait. */
const comingAt = (pod: Pod | undefined): number =>
  pod === undefined || pod.nodeName !== undefined ? Infinity : pod.createdAt;

/**
 * The same with classes that had to give up a spread for some of their pods giving it up for all:
 * a spread that cannot be had whole may cost nodes for nothing. Undefined: there are none.
 */
export function relaxedWhole(
  { classes, first, byPriority }: Reading,
  units: readonly Unit[],
): Reading | undefined {
  const given = new Map<PodClass, number>();
  for (const [cls, own] of Map.groupBy(units, (unit) => unit.cls)) {
    const used = own.flatMap(({ way, count }) => (count > 0 ? (cls.alternatives[way] ?? []) : []));
    const counts = new Set(used.map(({ spreads }) => spreads.length));
    if (counts.size > 1) given.set(cls, Math.max(...used.map(({ level }) => level)));
  }
  if (given.size === 0) return undefined;
  const replaced = new Map(
    classes.map((cls): [PodClass, PodClass] => {
      const least = given.get(cls);
      if (least === undefined) return [cls, cls];
      const alternatives = cls.alternatives.filter(({ level }) => level >= least);
      return [cls, { ...cls, alternatives }];
    }),
  );
  return {
    classes: [...replaced.values()],
    first: new Set([...first].map((cls) => replaced.get(cls) ?? cls)),
    byPriority,
  };
}
