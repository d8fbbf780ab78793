import { ALL_DOMAINS, type Assignment, toCapKey } from '../assignment/assign.ts';
import { countPods, hasWiderRelaxation, type PodGroup } from '../assignment/pod-groups.ts';
import type { Problem } from '../input/problem.ts';
import type { Packing } from '../packing/packing.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/** The most pods that a class may have on new nodes, by `toCapKey`: what packing has taught so far. */
export type MutableDomainCaps = Map<PodClass, Map<string, number>>;

/** What came of packing the units of an assignment. */
export interface PackingOutcome {
  readonly assigned: Pick<Assignment, 'podGroups'>;
  readonly packing: Packing;
  /** Units with pods left that could go elsewhere. */
  readonly cutGroups: readonly PodGroup[];
}

/** Takes from an outcome what the next assignment should know. */
export type CapRule = (caps: MutableDomainCaps, outcome: PackingOutcome) => void;

/** Whether pods that found no node may yet find one: in other domains, or with fewer wishes. */
export const hasOtherOptions = (podGroup: PodGroup, problem: Problem): boolean =>
  podGroup.domainKey !== '' || hasWiderRelaxation(podGroup, problem);

/** A domain gets no more pods than it took. */
export function capDomain(
  caps: MutableDomainCaps,
  { assigned, packing, cutGroups }: PackingOutcome,
): void {
  for (const { cls, relaxationIndex, domainKey } of cutGroups) {
    const key = { cls, relaxationIndex, domainKey };
    const sameGroups = assigned.podGroups.filter((podGroup) => matches(podGroup, key));
    setCap(caps, cls, toCapKey(key), countPods(sameGroups) - countLeft(packing, key));
  }
}

/** All domains together get no more new nodes' pods than they took. */
export function capClass(
  caps: MutableDomainCaps,
  { assigned, packing, cutGroups }: PackingOutcome,
): void {
  for (const cls of new Set(cutGroups.map((podGroup) => podGroup.cls))) {
    const sameGroups = assigned.podGroups.filter((podGroup) => podGroup.cls === cls);
    setCap(caps, cls, ALL_DOMAINS, countPods(sameGroups) - countLeft(packing, { cls }));
  }
}

function setCap(caps: MutableDomainCaps, cls: PodClass, key: string, maxPods: number): void {
  const ofClass = caps.get(cls) ?? new Map<string, number>();
  caps.set(cls, ofClass.set(key, maxPods));
}

/**
 * None at all: for pods that were cut short again and again, whatever was learnt. Nobody may count
 * on pods that get no node, so that rounds end only when none is cut short.
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

/** Packing counts its own copies of the pod groups down, so the remaining pods are read from those. */
const countLeft = ({ unplaced, deferred }: Packing, key: PodGroupKey): number =>
  countPods([...unplaced.keys(), ...deferred.keys()].filter((podGroup) => matches(podGroup, key)));
