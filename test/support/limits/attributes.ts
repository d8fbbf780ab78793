import * as z from 'zod';

/** The attributes of a row in DynamoDB's JSON: each value under the letter of its type. */
export type Value =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: boolean }
  | { readonly L: readonly Value[] }
  | { readonly M: Row };
export interface Row {
  readonly [name: string]: Value;
}

const valueSchema: z.ZodType<Value> = z.lazy(() =>
  z.union([
    z.object({ S: z.string() }),
    z.object({ N: z.string() }),
    z.object({ B: z.string() }),
    z.object({ BOOL: z.boolean() }),
    z.object({ NULL: z.boolean() }),
    z.object({ L: z.array(valueSchema) }),
    z.object({ M: rowSchema }),
  ]),
);
export const rowSchema: z.ZodType<Row> = z.record(z.string(), valueSchema);

/** A list or map takes three bytes, and each of its elements one more. */
const CONTAINER_BYTES = 3;

/**
 * Computes the bytes that DynamoDB counts for a row.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const rowBytes = (row: Row): number =>
  Object.entries(row).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes(value: Value): number {
  if ('S' in value) return Buffer.byteLength(value.S);
  if ('N' in value) return Math.ceil(value.N.replaceAll(/\D/g, '').length / 2) + 1;
  if ('B' in value) return Buffer.byteLength(value.B, 'base64');
  if ('L' in value) {
    return value.L.reduce((sum, one) => sum + 1 + valueBytes(one), CONTAINER_BYTES);
  }
  if ('M' in value) {
    return CONTAINER_BYTES + Object.keys(value.M).length + rowBytes(value.M);
  }
  return 1;
}

export const readUnits = (bytes: number, isConsistent: boolean): number =>
  Math.max(Math.ceil(bytes / 4096), 1) * (isConsistent ? 1 : 0.5);

export const writeUnits = (bytes: number): number => Math.max(Math.ceil(bytes / 1024), 1);
