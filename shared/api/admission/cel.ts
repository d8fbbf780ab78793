import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import { isRecord, type SchemaNode } from '../schema/schema.ts';

const MAX_INT = 2n ** 63n - 1n;

/** Parses whole numbers like Go. `int()` of the library also accepts `0b1` and an empty text. */
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
  return getOrCreate(parsed, cel, () => environment.parse(cel.replaceAll(/\bint\(/g, 'wholeNumber(')));
}

/**
 * True if the rule holds. A rule that cannot be evaluated, for example because a field is absent,
 * does not hold.
 */
export function holds(cel: string, variables: { self: unknown; oldSelf?: unknown }): boolean {
  const expression = parse(cel);
  try {
    return expression(variables) === true;
  } catch {
    return false;
  }
}

/**
 * Converts to CEL's types: whole numbers become integers, which JavaScript does not distinguish.
 */
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
      toCelValue(node.values ?? ownValue(node.properties, key) ?? {}, item),
    ]),
  );
}
