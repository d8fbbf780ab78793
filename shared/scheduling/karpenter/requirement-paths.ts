import { WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { isIn } from '../../model/requirement.ts';
import {
  findConflict,
  intersectRequirements,
  type Requirements,
} from '../../model/requirements.ts';
import type { Problem } from '../input/problem.ts';
import { type Bitset, intersection } from '../data-structures/bitset.ts';
import type { Where } from '../instance-types/offering-index.ts';
import { whereAllowed } from '../instance-types/offering-scope.ts';
import type { Template } from '../instance-types/node-claim-templates.ts';

/**
 * How the requirements of a claim narrow as pods join it. Thousands of attempts take few ways: equal
 * steps lead to the same object, and what it means for types is worked out once.
 */
export interface RequirementPaths {
  /** Both at once; undefined where they clash. Well-known labels may still be undefined in `from`. */
  narrow(from: Requirements, by: Requirements): Requirements | undefined;
  /** The requirement that a key has one of some values. */
  oneOf(key: string, values: readonly string[]): Requirements;
  /** Types and places that are open to a claim of the template with these requirements. */
  openTo(requirements: Requirements, template: Template): Market;
}

interface Market {
  readonly types: Bitset;
  readonly where: Where;
}

export function requirementPaths({ index, offerings }: Problem): RequirementPaths {
  const steps = new WeakMap<Requirements, Map<Requirements, Requirements | undefined>>();
  const pins = new Map<string, Requirements>();
  const markets = new WeakMap<Requirements, Market>();

  return {
    narrow(from, by) {
      if (by.size === 0) return from;
      const known = steps.get(from) ?? new Map<Requirements, Requirements | undefined>();
      steps.set(from, known);
      if (known.has(by)) return known.get(by);
      const clash = findConflict(from, by, WELL_KNOWN_LABELS);
      const both = clash ? undefined : intersectRequirements(from, by);
      known.set(by, both);
      // Who asks for the same again leaves it as it is.
      if (both) steps.set(both, new Map([...(steps.get(both) ?? []), [by, both]]));
      return both;
    },
    oneOf(key, values) {
      const text = [key, ...values].join();
      const pin = pins.get(text) ?? new Map([[key, isIn(...values)]]);
      pins.set(text, pin);
      return pin;
    },
    openTo(requirements, template) {
      const known = markets.get(requirements);
      if (known) return known;
      const where = whereAllowed(requirements, template.where, offerings.zones);
      const types = intersection(index.matching(requirements), offerings.offered(where));
      const market = { types, where };
      markets.set(requirements, market);
      return market;
    },
  };
}
