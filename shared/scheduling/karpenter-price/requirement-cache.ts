import { WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import { isIn } from '../../model/requirements/requirement.ts';
import { findConflict, intersectRequirements, type Requirements } from '../../model/requirements/requirements.ts';
import { type Bitset, intersection } from '../data-structures/bitset.ts';
import type { Problem } from '../input/problem.ts';
import type { NodeClaimTemplate } from '../instance-types/node-claim-templates.ts';
import type { OfferingScope } from '../instance-types/offering-index.ts';
import { narrowScope } from '../instance-types/offering-scope.ts';

/**
 * Intersects requirements and finds offerings, with a cache. Thousands of attempts repeat few
 * intersections: equal steps return the same object, so that the offerings are computed once.
 */
export interface RequirementCache {
  /** Intersects both; undefined if they conflict. Well-known labels may be undefined in `from`. */
  intersect(from: Requirements, by: Requirements): Requirements | undefined;
  /** Returns the requirement that the key has one of the values. */
  oneOf(key: string, values: readonly string[]): Requirements;
  /**
   * Finds the types and the zones and capacity types that a claim with these requirements may use.
   */
  findOfferings(requirements: Requirements, template: NodeClaimTemplate): CompatibleOfferings;
}

interface CompatibleOfferings {
  readonly types: Bitset;
  readonly where: OfferingScope;
}

export function createRequirementCache({ typeIndex, offerings }: Problem): RequirementCache {
  const intersections = new WeakMap<Requirements, Map<Requirements, Requirements | undefined>>();
  const singleRequirements = new Map<string, Requirements>();
  const offeringsByRequirements = new WeakMap<Requirements, CompatibleOfferings>();

  return {
    intersect(from, by) {
      if (by.size === 0) return from;
      const cached = getOrCreate(intersections, from, () => new Map());
      if (cached.has(by)) return cached.get(by);
      const conflict = findConflict(from, by, WELL_KNOWN_LABELS);
      const combined = conflict ? undefined : intersectRequirements(from, by);
      cached.set(by, combined);
      // Intersecting with the same requirements again changes nothing.
      if (combined) intersections.set(combined, new Map([...(intersections.get(combined) ?? []), [by, combined]]));
      return combined;
    },
    oneOf(key, values) {
      const text = [key, ...values].join();
      return getOrCreate(singleRequirements, text, () => new Map([[key, isIn(...values)]]));
    },
    findOfferings(requirements, template) {
      return getOrCreate(offeringsByRequirements, requirements, () => {
        const where = narrowScope(requirements, template.where, offerings.zones);
        const types = intersection(typeIndex.matching(requirements), offerings.offered(where));
        return { types, where };
      });
    },
  };
}
