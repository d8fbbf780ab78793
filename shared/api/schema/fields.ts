import type { DefaultedSchema, DescribedSchema, Json, Rule, Schema, SchemaNode } from './schema.ts';

type TextLimits = Pick<SchemaNode, 'pattern' | 'minLength' | 'maxLength' | 'format' | 'rules' | 'wording'>;

export const text = (description: string, limits: TextLimits = {}): Schema<string> => ({
  description,
  type: 'string',
  ...limits,
});

export const oneOf = <const Value extends string>(
  description: string,
  values: readonly Value[],
  more: Pick<SchemaNode, 'former'> = {},
): Schema<Value> => ({ description, type: 'string', enum: values, ...more });

export const flag = (description: string): Schema<boolean> => ({ description, type: 'boolean' });

type Bounds = Pick<SchemaNode, 'minimum' | 'maximum'>;

export const int32 = (description: string, bounds: Bounds = {}): Schema<number> => ({
  description,
  type: 'integer',
  format: 'int32',
  ...bounds,
});

export const int64 = (description: string, bounds: Bounds = {}): Schema<number> => ({
  description,
  type: 'integer',
  format: 'int64',
  ...bounds,
});

/** An integer without a format. */
export const integer = (description: string, bounds: Bounds = {}): Schema<number> => ({
  description,
  type: 'integer',
  ...bounds,
});

type ListLimits = Pick<SchemaNode, 'minItems' | 'maxItems' | 'listType' | 'listKeys' | 'rules'>;

export const listOf = <T>(description: string, items: Schema<T>, limits: ListLimits = {}): Schema<readonly T[]> => ({
  description,
  type: 'array',
  items,
  ...limits,
});

type MapLimits = Pick<SchemaNode, 'maxProperties' | 'isAtomic' | 'rules' | 'former'>;

export const mapOf = <T>(
  description: string,
  values: Schema<T>,
  limits: MapLimits = {},
): Schema<Readonly<Record<string, T>>> => ({ description, type: 'object', values, ...limits });

/** A map of any content, which is stored as it is. */
export const openMap = (description: string): Schema<Readonly<Record<string, Json>>> => ({
  description,
  type: 'object',
  isOpen: true,
});

/** A field with a default: the API server writes `value` if the field is absent. */
export const defaulting = <T, const Value extends Json>(schema: Schema<T>, value: Value): DefaultedSchema<T> => ({
  ...schema,
  default: value,
});

type Fields = Readonly<Record<string, Schema<unknown>>>;
type DefaultedKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends { readonly default: Json } ? K : never;
}[keyof F];

type Flat<T> = { readonly [K in keyof T]: T[K] };
type Composed<Required extends Fields, Optional extends Fields> = Flat<
  { [K in keyof Required]: DescribedSchema<Required[K]> } & {
    [K in DefaultedKeys<Optional>]: DescribedSchema<Optional[K]>;
  } & { [K in Exclude<keyof Optional, DefaultedKeys<Optional>>]?: DescribedSchema<Optional[K]> }
>;

interface ObjectParts<Required extends Fields, Optional extends Fields> {
  readonly required?: Required;
  readonly optional?: Optional;
  readonly rules?: readonly Rule[];
  readonly isAtomic?: true;
  readonly former?: Readonly<Record<string, string>>;
}

type None = Readonly<Record<never, never>>;

export const object = <Required extends Fields = None, Optional extends Fields = None>(
  description: string,
  { required, optional, ...more }: ObjectParts<Required, Optional>,
): Schema<Composed<Required, Optional>> => ({
  description,
  type: 'object',
  properties: { ...required, ...optional },
  ...(required && { required: Object.keys(required) }),
  ...more,
});
