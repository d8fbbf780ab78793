import { type Labels, labelValue, normaliseLabelKey } from '../labels.ts';
import {
  allowsAbsence,
  allowsValue,
  IMPOSSIBLE,
  intersectRequirement,
  isCompatibleRequirement,
  isIn,
  type Requirement,
} from './requirement.ts';
import { type RequirementSpec, toRequirement } from './requirement-specs.ts';

/** One requirement per normalised key. An absent key allows any value, and none. */
export type Requirements = ReadonlyMap<string, Requirement>;

export const NO_REQUIREMENTS: Requirements = new Map();

export function toRequirements(specs: Iterable<RequirementSpec>): Requirements {
  const all = new Map<string, Requirement>();
  for (const spec of specs) narrow(all, normaliseLabelKey(spec.key), toRequirement(spec));
  return all;
}

export const toLabelRequirements = (labels: Labels): Requirements =>
  new Map(Object.entries(labels).map(([key, value]) => [normaliseLabelKey(key), isIn(value)]));

/** All of `sets` at once. */
export function intersectRequirements(...sets: readonly Requirements[]): Requirements {
  const all = new Map<string, Requirement>();
  for (const set of sets) {
    for (const [key, requirement] of set) narrow(all, key, requirement);
  }
  return all;
}

/**
 * All of `sets` at once, on one node. Where two of them exclude each other nothing is left, while an
 * intersection would leave DoesNotExist: a node without the label must not pass for one with it.
 */
export function conjoinRequirements(...sets: readonly Requirements[]): Requirements {
  const all = new Map<string, Requirement>();
  for (const set of sets) {
    for (const [key, requirement] of set) {
      const present = all.get(key) ?? requirement;
      const holds = isCompatibleRequirement(present, requirement);
      all.set(key, holds ? intersectRequirement(present, requirement) : IMPOSSIBLE);
    }
  }
  return all;
}

function narrow(all: Map<string, Requirement>, key: string, requirement: Requirement): void {
  const present = all.get(key);
  all.set(key, present ? intersectRequirement(present, requirement) : requirement);
}

export interface Conflict {
  readonly key: string;
  readonly wanted: Requirement;
  /** Absent: the key is not defined there at all. */
  readonly given?: Requirement;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/**
 * The first reason why `wanted` cannot hold where `given` holds.
 *
 * @param mayBeUndefined - keys that `given` need not define; none for real nodes, whose labels are
 *   all there is (strict), the well-known ones for nodes that do not exist yet (loose)
 * @see Karpenter, Requirements.Compatible
 */
export function findConflict(
  given: Requirements,
  wanted: Requirements,
  mayBeUndefined: ReadonlySet<string> = NO_KEYS,
): Conflict | undefined {
  for (const [key, requirement] of wanted) {
    const present = given.get(key);
    if (present) {
      if (!isCompatibleRequirement(present, requirement)) {
        return { key, wanted: requirement, given: present };
      }
    } else if (!mayBeUndefined.has(key) && !allowsAbsence(requirement)) {
      return { key, wanted: requirement };
    }
  }
  return undefined;
}

/** Whether a node with exactly these labels satisfies `requirements`. */
export function matchesLabels(requirements: Requirements, labels: Labels): boolean {
  for (const [key, requirement] of requirements) {
    const value = labelValue(labels, key);
    const holds =
      value === undefined ? allowsAbsence(requirement) : allowsValue(requirement, value);
    if (!holds) return false;
  }
  return true;
}
