import { ALL_PLACES, type Assignment, capKey } from '../assignment/assign.ts';
import { hasWiderWay, podsOf, type Unit } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/** The most pods that a class may have on new nodes, by `capKey`: what packing has taught so far. */
export type Caps = Map<PodClass, Map<string, number>>;

/** What came of packing the units of an assignment. */
export interface Outcome {
  readonly assigned: Pick<Assignment, 'units'>;
  readonly packing: Packing;
  /** Units with pods left that could go elsewhere. */
  readonly cut: readonly Unit[];
}

/** Takes from an outcome what the next assignment should know. */
export type Lesson = (caps: Caps, outcome: Outcome) => void;

/** Whether pods that found no node may yet find one: in other domains, or with fewer wishes. */
export const hasElsewhere = (unit: Unit, problem: Problem): boolean =>
  unit.place !== '' || hasWiderWay(unit, problem);

/** A domain gets no more pods than it took. */
export function lowerPlace(caps: Caps, { assigned, packing, cut }: Outcome): void {
  for (const { cls, way, place } of cut) {
    const same = assigned.units.filter((u) => u.cls === cls && u.way === way && u.place === place);
    lowerCap(
      caps,
      cls,
      capKey({ way, place }),
      podsOf(same) - leftOf(packing, { cls, way, place }),
    );
  }
}

/** All domains together get no more new nodes' pods than they took. */
export function lowerTotal(caps: Caps, { assigned, packing, cut }: Outcome): void {
  for (const cls of new Set(cut.map((unit) => unit.cls))) {
    const same = assigned.units.filter((unit) => unit.cls === cls);
    lowerCap(caps, cls, ALL_PLACES, podsOf(same) - leftOf(packing, { cls }));
  }
}

function lowerCap(caps: Caps, cls: PodClass, key: string, most: number): void {
  const ofClass = caps.get(cls) ?? new Map<string, number>();
  caps.set(cls, ofClass.set(key, most));
}

/**
 * None at all: for pods that were cut short again and again, whatever was learnt. Nobody may count
 * on pods that get no node, so that rounds end only when none is cut short.
 */
export function forgo(caps: Caps, { cut }: Outcome): void {
  for (const { cls } of cut) lowerCap(caps, cls, ALL_PLACES, 0);
}

/** Packing counts copies down: what is left, or waits for the next plan, is written on those. */
const leftOf = (
  { left, deferred }: Packing,
  wanted: Pick<Unit, 'cls'> & Partial<Pick<Unit, 'way' | 'place'>>,
): number =>
  podsOf(
    [...left.keys(), ...deferred.keys()].filter(
      ({ cls, way, place }) =>
        cls === wanted.cls &&
        (wanted.way === undefined || way === wanted.way) &&
        (wanted.place === undefined || place === wanted.place),
    ),
  );
