import { WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { isIn } from '../../model/requirement.ts';
import {
  type Conflict,
  findConflict,
  intersectRequirements,
  type Requirements,
} from '../../model/requirements.ts';
import { type Bitset, intersection } from '../data-structures/bitset.ts';
import type { Where } from './offering-index.ts';
import { isCarried, isPlace, whereAllowed } from './offering-scope.ts';
import type { Template } from './node-claim-templates.ts';
import type { TypeIndex } from './type-index.ts';

/** What of a template is left for pods with some requirements. */
export interface Narrowed {
  readonly types: Bitset;
  readonly where: Where;
  readonly custom: Requirements;
}

/** A pool that can launch a node, and what of the pool is left for it. */
export interface Opening extends Narrowed {
  readonly template: Template;
}

export type Narrowing =
  | { readonly outcome: 'narrowed'; readonly narrowed: Narrowed }
  | { readonly outcome: 'conflict'; readonly conflict: Conflict };

export function narrowTemplate(
  template: Template,
  requirements: Requirements,
  index: TypeIndex,
  zones: readonly string[],
): Narrowing {
  const conflict = findConflict(template.requirements, requirements, WELL_KNOWN_LABELS);
  if (conflict) return { outcome: 'conflict', conflict };

  const own = [...requirements].filter(([key]) => isCarried(key, index));
  const isAboutTypes = [...requirements.keys()].some((key) => index.decides(key));
  return {
    outcome: 'narrowed',
    narrowed: {
      // Most pods ask nothing of types: their set stays the same object, known by every memory.
      types: isAboutTypes
        ? intersection(template.types, index.matching(requirements))
        : template.types,
      where: whereAllowed(requirements, template.where, zones),
      custom:
        own.length > 0 ? intersectRequirements(template.custom, new Map(own)) : template.custom,
    },
  };
}

/** Narrows once more, to one value of one key: the topology domain that was chosen. */
export function pinDomain(
  { types, where, custom }: Narrowed,
  key: string,
  domain: string,
  index: TypeIndex,
  zones: readonly string[],
): Narrowed {
  const pin: Requirements = new Map([[key, isIn(domain)]]);
  if (isPlace(key)) return { types, where: whereAllowed(pin, where, zones), custom };
  const having = index.decides(key) ? intersection(types, index.matching(pin)) : types;
  if (!isCarried(key, index)) return { types: having, where, custom };
  // Nodes of a pool that cannot give the value are in no domain, or in another one.
  if (findConflict(custom, pin, WELL_KNOWN_LABELS)) return { types: index.none, where, custom };
  return { types: having, where, custom: intersectRequirements(custom, pin) };
}
