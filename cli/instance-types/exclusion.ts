import { formatAmount } from '../../shared/model/quantity.ts';

/** The reason why a type is excluded. */
export interface Exclusion {
  readonly code: ExclusionCode;
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Fields of the JSON document: scripts depend on their names. */
interface Fields {
  readonly 'nodeclass-incompatible': { readonly why: string };
  readonly 'requirement-conflict': {
    readonly key: string;
    readonly wanted: string;
    readonly given: string;
  };
  readonly 'too-large': {
    readonly resource: string;
    readonly request: number;
    readonly free: number;
  };
  readonly 'no-offering-in-zone': {
    readonly region: string;
    /** Empty if the type is not sold. */
    readonly sold: string;
    readonly wanted: string;
  };
  readonly 'no-price': Readonly<Record<string, never>>;
}

export type ExclusionCode = keyof Fields;

const SENTENCES: { readonly [C in ExclusionCode]: (fields: Fields[C]) => string } = {
  'nodeclass-incompatible': ({ why }) => why,
  'requirement-conflict': ({ key, wanted: requested, given }) => `${key} is ${given}, wanted ${requested}`,
  'too-large': ({ resource, request, free }) =>
    `needs ${formatAmount(resource, request)} ${resource}, has ${formatAmount(resource, free)}`,
  'no-offering-in-zone': ({ region, sold, wanted: requested }) =>
    sold === '' ? `no zone of ${region} sells it` : `is sold in ${sold}; wanted ${requested}`,
  'no-price': () => 'no price is known, so it cannot be weighed',
};

export function exclusion<C extends ExclusionCode>(code: C, fields: Fields[C]): Exclusion {
  const texts = Object.entries(fields).map(([name, value]) => [name, `${value}`] as const);
  return { code, text: SENTENCES[code](fields), fields: Object.fromEntries(texts) };
}
