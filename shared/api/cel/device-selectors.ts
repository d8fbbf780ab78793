import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import { getOrCreate } from '../../model/memo.ts';
import type { AttributeValue, Device } from '../../model/pods/devices.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { matchesRe2 } from '../admission/re2.ts';

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

/** A Kubernetes quantity as a CEL type. */
class CelQuantity {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A semantic version: its numbers and its pre-release. */
class CelSemver {
  readonly numbers: readonly number[];
  readonly preRelease: readonly string[];

  constructor(text: string) {
    const match = SEMVER.exec(text);
    if (!match) throw new RangeError(`${text} is no semantic version`);
    this.numbers = match.slice(1, 4).map(Number);
    this.preRelease = match[4]?.split('.') ?? [];
  }
}

const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

function quantityOf(text: string): CelQuantity {
  const quantity = parseQuantity(text);
  if (!quantity) throw new RangeError(`${text} is no quantity`);
  return new CelQuantity(Number(quantity.nanos) / 1e9);
}

const order = (difference: number): bigint => (difference < 0 ? -1n : difference > 0 ? 1n : 0n);

const compareQuantities = (a: CelQuantity, b: CelQuantity): bigint => order(a.value - b.value);

/**
 * @see semver.org, 11: a pre-release is less than its release
 */
function compareVersions(a: CelSemver, b: CelSemver): bigint {
  for (const [location, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[location] ?? 0);
    if (difference !== 0) return order(difference);
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0) {
    return order(b.preRelease.length - a.preRelease.length);
  }
  for (const [location, part] of a.preRelease.entries()) {
    const other = b.preRelease[location];
    if (other === undefined) return 1n;
    if (part !== other) return comparePreRelease(part, other);
  }
  return order(a.preRelease.length - b.preRelease.length);
}

/** Numeric identifiers are less than others. */
function comparePreRelease(a: string, b: string): bigint {
  const [first, second] = [Number(a), Number(b)];
  if (!Number.isNaN(first) && !Number.isNaN(second)) return order(first - second);
  if (Number.isNaN(first) !== Number.isNaN(second)) return Number.isNaN(first) ? 1n : -1n;
  return a < b ? -1n : 1n;
}

function succeeds(compute: () => unknown): boolean {
  try {
    compute();
    return true;
  } catch {
    return false;
  }
}

/** The limits of the API server, which stores no longer expressions. */
const LIMITS = { maxAstNodes: 4_000, maxDepth: 100, maxListElements: 200, maxMapEntries: 200 };

/**
 * The CEL environment of device selectors, with quantities and semantic versions.
 *
 * @see kubernetes, dynamic-resource-allocation/cel and apiserver/pkg/cel/library
 */
const DEVICE_CEL = new Environment({ enableOptionalTypes: true, limits: LIMITS })
  .registerType('Quantity', CelQuantity)
  .registerType('Semver', CelSemver)
  .registerVariable('device', 'dyn')
  .registerFunction('quantity(string): Quantity', quantityOf)
  .registerFunction('isQuantity(string): bool', (text: string) => succeeds(() => quantityOf(text)))
  .registerFunction('Quantity.compareTo(Quantity): int', compareQuantities)
  .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => a.value > b.value)
  .registerFunction('Quantity.isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => a.value < b.value)
  .registerFunction('Quantity.sign(): int', ({ value }: CelQuantity) => order(value))
  .registerFunction('Quantity.isInteger(): bool', ({ value }: CelQuantity) => Number.isInteger(value))
  .registerFunction('Quantity.asInteger(): int', ({ value }: CelQuantity) => BigInt(value))
  .registerFunction('Quantity.asApproximateFloat(): double', ({ value }: CelQuantity) => value)
  .registerFunction(
    'Quantity.add(Quantity): Quantity',
    (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.value + b.value),
  )
  .registerFunction(
    'Quantity.sub(Quantity): Quantity',
    (a: CelQuantity, b: CelQuantity) => new CelQuantity(a.value - b.value),
  )
  .registerFunction('semver(string): Semver', (text: string) => new CelSemver(text))
  .registerFunction('isSemver(string): bool', (text: string) => succeeds(() => new CelSemver(text)))
  .registerFunction('Semver.compareTo(Semver): int', compareVersions)
  .registerFunction('Semver.isGreaterThan(Semver): bool', (a: CelSemver, b: CelSemver) => compareVersions(a, b) > 0n)
  .registerFunction('Semver.isLessThan(Semver): bool', (a: CelSemver, b: CelSemver) => compareVersions(a, b) < 0n)
  .registerFunction('Semver.major(): int', ({ numbers }: CelSemver) => BigInt(numbers[0] ?? 0))
  .registerFunction('Semver.minor(): int', ({ numbers }: CelSemver) => BigInt(numbers[1] ?? 0))
  .registerFunction('Semver.patch(): int', ({ numbers }: CelSemver) => BigInt(numbers[2] ?? 0))
  .registerOperator('Quantity == Quantity', (a: CelQuantity, b: CelQuantity) => a.value === b.value)
  .registerOperator('Semver == Semver', (a: CelSemver, b: CelSemver) => compareVersions(a, b) === 0n)
  // The `matches` of the library could backtrack for a very long time.
  .registerFunction('string.matchesRe2(string): bool', (text: string, pattern: string) => matchesRe2(pattern, text));
