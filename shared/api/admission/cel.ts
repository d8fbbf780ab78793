import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import { getOrCreate } from '../../model/memo.ts';
import { isRecord, type SchemaNode } from '../schema/schema.ts';

const MAX_INT = 2n ** 63n - 1n;

/** A whole number as Go reads it: `int()` of the library takes `0b1` and nothing at all as well. */
function wholeNumber(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) throw new RangeError('no whole number');
  const size = BigInt(text.replace(/^[+-]/, ''));
  const number = text.startsWith('-') ? -size : size;
  if (number > MAX_INT || number < -MAX_INT - 1n) throw new RangeError('beyond 64 bits');
  return number;
}

const environment = new Environment({ homogeneousAggregateLiterals: true })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerFunction('wholeNumber(string): int', wholeNumber);

const parsed = new Map<string, ParseResult>();

function parse(cel: string): ParseResult {
  return getOrCreate(parsed, cel, () =>
    environment.parse(cel.replaceAll(/\bint\(/g, 'wholeNumber(')),
  );
}

/** Whether the rule holds; one that cannot be computed, for a field is not there, does not. */
export function holds(cel: string, variables: { self: unknown; oldSelf?: unknown }): boolean {
  const expression = parse(cel);
  try {
    return expression(variables) === true;
  } catch {
    return false;
  }
}

/** The value as CEL knows it: whole numbers are integers, which JavaScript keeps apart. */
export function toCelValue(node: SchemaNode, value: unknown): unknown {
  const isWhole = node.type === 'integer' || node.intOrString;
  if (typeof value === 'number' && isWhole && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) {
    return value.map((item) => toCelValue(node.items ?? {}, item));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      toCelValue(node.values ?? node.properties?.[key] ?? {}, item),
    ]),
  );
}
