import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { Resources } from '../resources.ts';

/** How an overlay changes the price of an hour. */
export type PriceChange =
  | { readonly kind: 'set'; readonly usd: number }
  | { readonly kind: 'add'; readonly usd: number }
  /** 0.1 for 10 % more. */
  | { readonly kind: 'scale'; readonly share: number };

/** A NodeOverlay: a change of the price or capacity of instance types that the planner applies. */
export interface NodeOverlay {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** The highest weight counts; 0 if not set. */
  readonly weight: number;
  readonly requirements: readonly RequirementSpec[];
  readonly price?: PriceChange;
  /** Resources that nodes have in addition to those of their type. */
  readonly capacity: Resources;
  /** Why the overlay cannot be used; `undefined` if it is valid. */
  readonly fault?: string;
}

/**
 * Applies the change to a price.
 *
 * @param usd - the price of an hour in EC2
 */
export function applyPriceChange(usd: number, change: PriceChange): number {
  switch (change.kind) {
    case 'set':
      return change.usd;
    case 'add':
      return Math.max(0, usd + change.usd);
    case 'scale':
      return Math.max(0, usd * (1 + change.share));
  }
}
