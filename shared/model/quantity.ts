import { CPU, EPHEMERAL_STORAGE, GIB, MEMORY, MIB, type Resources } from './resources.ts';

/** The notation of an amount, which its canonical text keeps. */
type QuantityForm = 'binary' | 'decimal' | 'exponent';

/** An exact Kubernetes quantity. */
export interface Quantity {
  /** Billionths. More precise amounts are rounded up, away from zero. */
  readonly nanos: bigint;
  readonly form: QuantityForm;
}

/** A quantity in a manifest. */
export type WrittenQuantity = string | number;

const NANOS = 10n ** 9n;
const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * @see k8s.io/apimachinery resource.Quantity: amounts beyond an int64 are capped, not refused
 */
const MAX_NANOS = (2n ** 63n - 1n) * NANOS;
const PATTERN = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE])|[eE]([+-]?\d+))?$/;
/** Longer texts are refused to bound the parsing time. */
const MAX_TEXT_LENGTH = 256;
/**
 * Texts have at most `MAX_TEXT_LENGTH` digits, so a larger exponent gives the same result: 0, the
 * cap or a nano.
 */
const MAX_EXPONENT = 2 * MAX_TEXT_LENGTH;

/** Parses `500m`, `1.5Gi`, `1e3` or a plain number. Returns `undefined` if it is not a quantity. */
export function parseQuantity(written: WrittenQuantity): Quantity | undefined {
  const text = `${written}`;
  const match = text.length > MAX_TEXT_LENGTH ? null : PATTERN.exec(text);
  if (!match) return undefined;

  const [, sign, whole = '', fraction = '', onlyFraction = '', binary, decimal, exponent] = match;
  const decimals = fraction || onlyFraction;
  const digits = BigInt(`${whole}${decimals}`);
  const { multiplier, power } = scaleOf(binary, decimal, exponent);
  const size = capNanos(scale(digits * multiplier, power - decimals.length + 9));
  return { nanos: sign === '-' ? -size : size, form: formOf(binary, exponent) };
}

const formOf = (binary: string | undefined, exponent: string | undefined): QuantityForm =>
  binary ? 'binary' : exponent ? 'exponent' : 'decimal';

/** Returns a suffix as `multiplier` × 10^`power`. */
function scaleOf(
  binary: string | undefined,
  decimal: string | undefined,
  exponent: string | undefined,
): { multiplier: bigint; power: number } {
  if (binary) {
    const rank = BINARY_SUFFIXES.indexOf(binary);
    return { multiplier: 1024n ** BigInt(rank), power: 0 };
  }
  if (exponent) {
    const power = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, Number(exponent)));
    return { multiplier: 1n, power };
  }
  return { multiplier: 1n, power: DECIMAL_EXPONENTS[decimal ?? ''] ?? 0 };
}

const scale = (amount: bigint, power: number): bigint =>
  power >= 0 ? amount * 10n ** BigInt(power) : divideUp(amount, 10n ** BigInt(-power));

/** Rounds away from zero, like Kubernetes. */
const divideUp = (amount: bigint, by: bigint): bigint =>
  amount < 0n ? (amount - by + 1n) / by : (amount + by - 1n) / by;

const capNanos = (nanos: bigint): bigint => (nanos > MAX_NANOS ? MAX_NANOS : nanos);

export const isQuantity = (written: WrittenQuantity): boolean => parseQuantity(written) !== undefined;

/**
 * Formats the canonical text: no fraction, and the largest suffix that leaves none.
 *
 * @see k8s.io/apimachinery Quantity.CanonicalizeBytes: binary amounts below 1024 turn decimal
 */
export function formatQuantity({ nanos, form }: Quantity): string {
  const size = nanos < 0n ? -nanos : nanos;
  return form === 'binary' && size >= 1024n * NANOS ? formatBinary(nanos) : formatDecimal(nanos, form);
}

function formatBinary(nanos: bigint): string {
  let amount = divideUp(nanos, NANOS);
  let rank = 0;
  while (rank < BINARY_SUFFIXES.length - 1 && amount % 1024n === 0n) {
    amount /= 1024n;
    rank += 1;
  }
  return `${amount}${BINARY_SUFFIXES[rank] ?? ''}`;
}

function formatDecimal(nanos: bigint, form: QuantityForm): string {
  if (nanos === 0n) return '0';
  let amount = nanos;
  let power = -9;
  while (power < 18 && amount % 1000n === 0n) {
    amount /= 1000n;
    power += 3;
  }
  if (form === 'exponent') return power === 0 ? `${amount}` : `${amount}e${power}`;
  const suffix = Object.entries(DECIMAL_EXPONENTS).find(([, exponent]) => exponent === power);
  return `${amount}${suffix?.[0] ?? ''}`;
}

/**
 * Converts to the unit of `Resources`: millicores for cpu, whole units for everything else, rounded
 * up.
 */
export const amountOf = (resource: string, { nanos }: Quantity): number =>
  Number(divideUp(nanos, resource === CPU ? NANOS / 1000n : NANOS));

/** Values that are not quantities are left out: schemas refuse them where manifests are read. */
export function toResources(quantities: Readonly<Record<string, WrittenQuantity>>): Resources {
  const amounts: Record<string, number> = {};
  for (const [name, written] of Object.entries(quantities)) {
    const quantity = parseQuantity(written);
    if (quantity) amounts[name] = amountOf(name, quantity);
  }
  return amounts;
}

/** Formats `2`, `7.91`, `500m`, `-250m`: millicores below one CPU only, so that amounts compare. */
const formatCpu = (milli: number): string =>
  milli % 1000 === 0 || Math.abs(milli) > 1000 ? `${milli / 1000}` : `${milli}m`;

const KIB = 1024;
const BYTE_UNITS: readonly (readonly [string, number])[] = [
  ['Ti', 1024 * GIB],
  ['Gi', GIB],
  ['Mi', MIB],
  ['Ki', KIB],
];

/** Formats `4Gi`, `1.5Gi`, `512Mi`, with at most two decimals. */
function formatBytes(bytes: number): string {
  const [suffix, unit] = BYTE_UNITS.find(([, size]) => Math.abs(bytes) >= size) ?? ['', 1];
  return `${Number((bytes / unit).toFixed(2))}${suffix}`;
}

/** Formats an amount of `Resources` for people, in the unit of its resource. */
export function formatAmount(resource: string, amount: number): string {
  if (resource === CPU) return formatCpu(amount);
  const inBytes = resource === MEMORY || resource === EPHEMERAL_STORAGE || resource.startsWith('hugepages-');
  return inBytes ? formatBytes(amount) : `${amount}`;
}
