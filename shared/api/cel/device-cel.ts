import { Environment } from '@marcbachmann/cel-js';
import { parseQuantity } from '../../model/quantity.ts';
import { matchesRe2 } from '../admission/re2.ts';

/** A Kubernetes quantity as a CEL type. */
export class CelQuantity {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A semantic version: its numbers and its pre-release. */
export class CelSemver {
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
export const DEVICE_CEL = new Environment({ enableOptionalTypes: true, limits: LIMITS })
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
