import type { Assignment } from '../assignment/assign.ts';
import { ALL_DOMAINS, toCapKey } from '../assignment/place-next-pods.ts';
import { countPods, hasWiderRelaxation, type PodGroup } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/** Maximum number of pods on new nodes by class and `toCapKey`, as earlier packings have shown. */
export type MutableDomainCaps = Map<PodClass, Map<string, number>>;

/** The result of packing the pod groups of an assignment. */
export interface PackingOutcome {
  readonly assigned: Pick<Assignment, 'podGroups'>;
  readonly packing: Packing;
  /** Pod groups with unplaced or deferred pods that have other options. */
  readonly cutGroups: readonly PodGroup[];
}

/** Lowers caps for the next assignment by the result of the last packing. */
export type CapRule = (caps: MutableDomainCaps, outcome: PackingOutcome) => void;

/** True if unplaced pods have other options: other domains or a further relaxation. */
export const hasOtherOptions = (podGroup: PodGroup, problem: Problem): boolean =>
  podGroup.domainKey !== '' || hasWiderRelaxation(podGroup, problem);

/** Caps each domain of a class at the number of pods that it took. */
export function capDomain(caps: MutableDomainCaps, { assigned, packing, cutGroups }: PackingOutcome): void {
  for (const { cls, relaxationIndex, domainKey } of cutGroups) {
    const key = { cls, relaxationIndex, domainKey };
    const sameGroups = assigned.podGroups.filter((podGroup) => matches(podGroup, key));
    setCap(caps, cls, toCapKey(key), countPods(sameGroups) - countUnplaced(packing, key));
  }
}

/** Caps all domains of a class together at the number of pods that they took. */
export function capClass(caps: MutableDomainCaps, { assigned, packing, cutGroups }: PackingOutcome): void {
  for (const cls of new Set(cutGroups.map((podGroup) => podGroup.cls))) {
    const sameGroups = assigned.podGroups.filter((podGroup) => podGroup.cls === cls);
    setCap(caps, cls, ALL_DOMAINS, countPods(sameGroups) - countUnplaced(packing, { cls }));
  }
}

function setCap(caps: MutableDomainCaps, cls: PodClass, key: string, maxPods: number): void {
  const ofClass = caps.get(cls) ?? new Map<string, number>();
  caps.set(cls, ofClass.set(key, maxPods));
}

/**
 * Caps a class at 0 after too many rounds without success. Other pods must not count on pods that
 * get no node, so the rounds end only when no group is cut.
 */
export function dropClass(caps: MutableDomainCaps, { cutGroups }: PackingOutcome): void {
  for (const { cls } of cutGroups) setCap(caps, cls, ALL_DOMAINS, 0);
}

/** Selects the pod groups of a class, or only those of one relaxation and domain. */
interface PodGroupKey extends Pick<PodGroup, 'cls'> {
  readonly relaxationIndex?: number;
  readonly domainKey?: string;
}

const matches = (
  { cls, relaxationIndex, domainKey }: Pick<PodGroup, 'cls' | 'relaxationIndex' | 'domainKey'>,
  key: PodGroupKey,
): boolean =>
  cls === key.cls &&
  (key.relaxationIndex === undefined || relaxationIndex === key.relaxationIndex) &&
  (key.domainKey === undefined || domainKey === key.domainKey);

/**
 * Packing counts its own copies of the pod groups down, so the remaining pods are read from those.
 */
const countUnplaced = ({ unplaced, deferred }: Packing, key: PodGroupKey): number =>
  countPods([...unplaced.keys(), ...deferred.keys()].filter((podGroup) => matches(podGroup, key)));
