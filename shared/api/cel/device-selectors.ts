import type { ParseResult } from '@marcbachmann/cel-js';
import { getOrCreate } from '../../model/memo.ts';
import type { AttributeValue, Device } from '../../model/pods/devices.ts';
import { CelQuantity, CelSemver, DEVICE_CEL } from './device-cel.ts';

/**
 * The result of a selector for a device. After `fails`, an error, kube-scheduler allocates nothing.
 */
export type SelectorResult = 'matches' | 'differs' | { readonly fails: string };

/** Devices and expressions are few and do not change, so each pair is evaluated once. */
const cachedResults = new WeakMap<Device, Map<string, SelectorResult>>();

export function evaluateSelector(selector: string, device: Device, driver: string): SelectorResult {
  const results = getOrCreate(cachedResults, device, () => new Map());
  const key = `${driver} ${selector}`;
  return getOrCreate(results, key, () => evaluate(selector, device, driver));
}

function evaluate(selector: string, device: Device, driver: string): SelectorResult {
  try {
    const result: unknown = compile(selector)({ device: celDevice(device, driver) });
    if (typeof result === 'boolean') return result ? 'matches' : 'differs';
    return { fails: `${selector}: yields no yes or no` };
  } catch (error) {
    return { fails: `${selector}: ${firstLine(error)}` };
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : `${error}`).split('\n', 1)[0] ?? '';

const programs = new Map<string, ParseResult>();
/** Far more than a cluster has. The limit bounds memory if expressions are generated. */
const MAX_PROGRAMS = 2_000;

function compile(selector: string): ParseResult {
  return getOrCreate(programs, selector, () => {
    const refusal = tooCostly(selector);
    if (refusal) throw new RangeError(refusal);
    const program = DEVICE_CEL.parse(toSupportedSyntax(selector));
    if (programs.size >= MAX_PROGRAMS) programs.clear();
    return program;
  });
}

/**
 * @see resource.k8s.io/v1, CELSelectorExpressionMaxLength
 */
const MAX_EXPRESSION_LENGTH = 10 * 1024;
const LOOPS = /\.(?:all|exists|exists_one|map|filter)\s*\(/g;
/** Loops run over at most 32 attributes; deeply nested loops could take minutes. */
const MAX_LOOPS = 3;

const tooCostly = (selector: string): string | undefined =>
  selector.length > MAX_EXPRESSION_LENGTH || (selector.match(LOOPS)?.length ?? 0) > MAX_LOOPS
    ? 'costs more than a selector may'
    : undefined;

/**
 * Rewrites what the library supports differently: `has` takes only chains of names, `in` must find
 * everything that can be looked up, and regular expressions must not backtrack.
 */
const toSupportedSyntax = (selector: string): string =>
  selector
    .replaceAll(/\bin\s+device\.(attributes|capacity)\b(?!\s*[[.])/g, 'in device.$1Domains')
    .replaceAll(/\bhas\(\s*(device\.(?:attributes|capacity)\[[^\]]*\])\.(\w+)\s*\)/g, '("$2" in $1)')
    .replaceAll(/\.matches\s*\(/g, '.matchesRe2(');

function celDevice({ attributes, capacity, shareable }: Device, driver: string) {
  const values = byDomain(attributes, driver, celValue);
  const amounts = byDomain(capacity, driver, ({ value }) => new CelQuantity(value));
  return {
    driver,
    attributes: values,
    attributesDomains: [...values.keys()],
    capacity: amounts,
    capacityDomains: [...amounts.keys()],
    allowMultipleAllocations: shareable === true,
  };
}

function celValue(value: AttributeValue): unknown {
  if ('int' in value) return BigInt(value.int);
  if ('bool' in value) return value.bool;
  return 'string' in value ? value.string : new CelSemver(value.version);
}

/** An unknown domain is an empty map; an unknown name within a domain is an error. */
function byDomain<T>(
  named: Readonly<Record<string, T>>,
  driver: string,
  toCel: (value: T) => unknown,
): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const domains = new Map<string, Map<string, unknown>>();
  for (const [name, value] of Object.entries(named)) {
    const at = name.indexOf('/');
    const domain = at < 0 ? driver : name.slice(0, at);
    const names = domains.get(domain) ?? new Map<string, unknown>();
    domains.set(domain, names.set(name.slice(at + 1), toCel(value)));
  }
  const find = domains.get.bind(domains);
  domains.get = (domain) => find(domain) ?? new Map();
  return domains;
}
