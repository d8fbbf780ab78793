import type { Labels } from '../../model/labels.ts';
import type { Draft } from '../packing/drafts.ts';
import { grow } from '../packing/growth.ts';
import { costOf } from '../packing/packing.ts';
import type { Unit } from '../packing/units.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Displaced } from './rehearsal.ts';
import { isClean, type Theatre, type Trial, tryOut } from './trials.ts';

/** Room is made for a part of the displaced at a time: often it is enough for the others as well. */
const PART = 1 / 3;

/** How often drafts of one packing become larger. */
const GROWTHS = 10;

/** The pods of each unit that room should be kept for, where the rules would let them go. */
export function sparesFor({ displaced, hosts }: Trial, units: readonly Unit[]): Map<Unit, number> {
  const unitOf = ({ cls, hosts: numbers }: Displaced): Unit[] => {
    const own = units.filter((unit) => unit.cls === cls);
    const places = numbers.map((number) => hosts[number]?.kind.labels ?? {});
    const suiting = own.find((unit) => places.some((labels) => isPlacedAt(unit, labels)));
    return [suiting ?? own[0]].filter((unit) => unit !== undefined);
  };
  const most = mostInAnyOrder(displaced.map((order) => order.flatMap(unitOf)));
  return new Map([...most].map(([unit, pods]) => [unit, Math.ceil(pods * PART)]));
}

function mostInAnyOrder<T>(orders: readonly (readonly T[])[]): Map<T, number> {
  const most = new Map<T, number>();
  for (const order of orders) {
    for (const [item, { length }] of Map.groupBy(order, (one) => one)) {
      most.set(item, Math.max(length, most.get(item) ?? 0));
    }
  }
  return most;
}

const isPlacedAt = ({ pins }: Unit, labels: Labels): boolean =>
  [...pins].every(([key, domain]) => labels[key] === domain);

/** Gives drafts larger types, step by step, until nobody is displaced or it is not allowed. */
export function grownTrials(
  theatre: Theatre,
  from: Trial,
  isAllowed: (trial: Trial) => boolean,
): Trial[] {
  const trials: Trial[] = [];
  let last = from;
  for (let growth = 0; growth < GROWTHS && !isClean(last); growth++) {
    const next = grown(theatre, last);
    if (!next || !isAllowed(next)) break;
    trials.push(next);
    last = next;
  }
  return trials;
}

function grown(theatre: Theatre, trial: Trial): Trial | undefined {
  const { drafting } = trial.packing;
  const copies = new Map(drafting.drafts.map((draft) => [draft, { ...draft }]));
  const most = mostInAnyOrder(trial.displaced.map((order) => order.map(({ cls }) => cls)));
  const made = [...most].map(([cls, pods]) => {
    const suiting = draftsLackingRoom(trial, cls).flatMap((draft) => copies.get(draft) ?? []);
    return grow(cls, Math.ceil(pods * PART), suiting, theatre.problem);
  });
  if (!made.includes(true)) return undefined;
  const next = { ...drafting, drafts: [...copies.values()] };
  return tryOut(theatre, { ...trial.packing, drafting: next, ...costOf(next) });
}

function draftsLackingRoom({ displaced, hosts }: Trial, wanted: PodClass): Draft[] {
  const numbers = new Set(
    displaced.flat().flatMap(({ cls, hosts }) => (cls === wanted ? hosts : [])),
  );
  return [...numbers].flatMap((number) => hosts[number]?.draft ?? []);
}
