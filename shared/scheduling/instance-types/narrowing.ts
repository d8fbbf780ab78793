import { WELL_KNOWN_LABELS } from '../../model/labels.ts';
import { DOES_NOT_EXIST, isIn } from '../../model/requirements/requirement.ts';
import {
  type Conflict,
  findConflict,
  intersectRequirements,
  type Requirements,
} from '../../model/requirements/requirements.ts';
import { type Bitset, intersection } from '../data-structures/bitset.ts';
import type { NodeClaimTemplate } from './node-claim-templates.ts';
import type { OfferingScope } from './offering-index.ts';
import { isClaimKey, isOfferingKey, narrowScope } from './offering-scope.ts';
import type { TypeIndex } from './type-index.ts';

/** The part of a template that remains for pods with some requirements. */
export interface Narrowed {
  readonly types: Bitset;
  readonly where: OfferingScope;
  readonly custom: Requirements;
}

/** A NodePool that can launch a node, and what remains of it. */
export interface Opening extends Narrowed {
  readonly template: NodeClaimTemplate;
}

export type Narrowing =
  | { readonly outcome: 'narrowed'; readonly narrowed: Narrowed }
  | { readonly outcome: 'conflict'; readonly conflict: Conflict };

export function narrowTemplate(
  template: NodeClaimTemplate,
  requirements: Requirements,
  index: TypeIndex,
  zones: readonly string[],
): Narrowing {
  const conflict = findConflict(template.requirements, requirements, WELL_KNOWN_LABELS);
  if (conflict) return { outcome: 'conflict', conflict };

  const own = [...requirements].filter(([key]) => isClaimKey(key, index));
  const isAboutTypes = [...requirements.keys()].some((key) => index.isDecidedByType(key));
  return {
    outcome: 'narrowed',
    narrowed: {
      // Most pods have no requirement on types. Their set then stays the same object, which caches
      // recognize.
      types: isAboutTypes ? intersection(template.types, index.matching(requirements)) : template.types,
      where: narrowScope(requirements, template.where, zones),
      custom:
        own.length > 0 ? intersectRequirements(template.claimRequirements, new Map(own)) : template.claimRequirements,
    },
  };
}

/** Narrows further to one topology domain. */
export function pinDomain(
  { types, where, custom }: Narrowed,
  key: string,
  domain: string | undefined,
  index: TypeIndex,
  zones: readonly string[],
): Narrowed {
  const pin: Requirements = new Map([[key, domain === undefined ? DOES_NOT_EXIST : isIn(domain)]]);
  if (isOfferingKey(key)) return { types, where: narrowScope(pin, where, zones), custom };
  const having = index.isDecidedByType(key) ? intersection(types, index.matching(pin)) : types;
  if (!isClaimKey(key, index)) return { types: having, where, custom };
  // The NodePool cannot provide the value, so its nodes are in no domain or in another one.
  if (findConflict(custom, pin, WELL_KNOWN_LABELS)) return { types: index.none, where, custom };
  return { types: having, where, custom: intersectRequirements(custom, pin) };
}
