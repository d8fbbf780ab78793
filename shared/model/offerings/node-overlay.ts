import type { RequirementSpec } from '../requirements/requirement-specs.ts';
import type { Resources } from '../resources.ts';

/** What an overlay does to the price of an hour. */
export type PriceChange =
  | { readonly kind: 'set'; readonly usd: number }
  | { readonly kind: 'add'; readonly usd: number }
  /** 0.1 for a tenth more. */
  | { readonly kind: 'scale'; readonly share: number };

/** A NodeOverlay: offerings that decisions see in another way than EC2 sells them. */
export interface NodeOverlay {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** Higher wins; 0 when not written. */
  readonly weight: number;
  readonly requirements: readonly RequirementSpec[];
  readonly price?: PriceChange;
  /** Resources that nodes will have beside those of their type. */
  readonly capacity: Resources;
  /** Why it cannot be used as it is written; absent: nothing is wrong. */
  readonly fault?: string;
}

/** @param usd - of an hour, as EC2 sells it */
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
