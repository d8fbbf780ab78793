import { type Labels, normaliseLabelKey } from '../labels.ts';
import { ownValue } from '../own-value.ts';
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

/** One requirement for each normalised key. A key that is absent allows any value and absence. */
export type Requirements = ReadonlyMap<string, Requirement>;

export const NO_REQUIREMENTS: Requirements = new Map();

export function toRequirements(specs: Iterable<RequirementSpec>): Requirements {
  const all = new Map<string, Requirement>();
  for (const spec of specs) narrow(all, normaliseLabelKey(spec.key), toRequirement(spec));
  return all;
}

export const toLabelRequirements = (labels: Labels): Requirements =>
  new Map(Object.entries(labels).map(([key, value]) => [normaliseLabelKey(key), isIn(value)]));

/** Intersects all sets, key by key. */
export function intersectRequirements(...sets: readonly Requirements[]): Requirements {
  const all = new Map<string, Requirement>();
  for (const set of sets) {
    for (const [key, requirement] of set) narrow(all, key, requirement);
  }
  return all;
}

/**
 * Combines all sets for one node. If two of them exclude each other, the key becomes impossible; an
 * intersection would become DoesNotExist, which a node without the label satisfies.
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
  readonly expected: Requirement;
  /** `undefined` if the key is not defined there. */
  readonly given?: Requirement;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/**
 * Finds the first reason why `expected` cannot hold where `given` holds.
 *
 * @param mayBeUndefined - keys that `given` need not define: none for existing nodes, whose labels
 *   are complete (strict), the well-known keys for new nodes (loose)
 * @see Karpenter, Requirements.Compatible
 */
export function findConflict(
  given: Requirements,
  expected: Requirements,
  mayBeUndefined: ReadonlySet<string> = NO_KEYS,
): Conflict | undefined {
  for (const [key, requirement] of expected) {
    const present = given.get(key);
    if (present) {
      if (!isCompatibleRequirement(present, requirement)) {
        return { key, expected: requirement, given: present };
      }
    } else if (!mayBeUndefined.has(key) && !allowsAbsence(requirement)) {
      return { key, expected: requirement };
    }
  }
  return undefined;
}

/** True if a node with exactly these labels satisfies `requirements`. */
export function matchesLabels(requirements: Requirements, labels: Labels): boolean {
  for (const [key, requirement] of requirements) {
    const value = ownValue(labels, key);
    const holds = value === undefined ? allowsAbsence(requirement) : allowsValue(requirement, value);
    if (!holds) return false;
  }
  return true;
}
