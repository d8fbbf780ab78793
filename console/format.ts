import { getOrCreate } from '../shared/model/memo.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/model/time.ts';

const formats = new Map<number, Intl.NumberFormat>();

/** Keeps the formats: to create one takes longer than to draw a node. */
const grouped = (amount: number, digits: number): string =>
  getOrCreate(formats, digits, () => {
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return new Intl.NumberFormat('en-US', fraction);
  }).format(amount);

/** `1,204`. */
export const formatCount = (count: number): string => grouped(count, 0);

/** Price of a node: `$0.2412`. */
export const formatNodeUsd = (hourlyUsd: number): string => `$${grouped(hourlyUsd, 4)}`;

/** Price with little space: `$0.241`. */
export const formatShortUsd = (hourlyUsd: number): string => `$${grouped(hourlyUsd, 3)}`;

/** Price of many nodes: `$6.41`. */
export const formatUsd = (hourlyUsd: number): string => `$${grouped(hourlyUsd, 2)}`;

/** Monthly price: `$4,682`. */
export const formatMonthlyUsd = (monthlyUsd: number): string => `$${grouped(monthlyUsd, 0)}`;

/** `92 %`. */
export const formatPercent = (share: number, digits = 0): string =>
  Number.isFinite(share) ? `${grouped(share * 100, digits)} %` : '–';

/** Millicores as CPU: `0.25`, `7.6`, `16`. */
export const formatCpu = (cpuMilli: number): string => {
  const cpu = cpuMilli / 1000;
  return Number.isInteger(cpu) ? grouped(cpu, 0) : String(Number(cpu.toFixed(cpu < 1 ? 2 : 1)));
};

/** `512 MiB`, `3.8 GiB`, `128 GiB`. */
export const formatMemory = (memoryMib: number): string => {
  if (memoryMib < 1024) return `${Math.round(memoryMib)} MiB`;
  const gib = memoryMib / 1024;
  return `${gib >= 100 || Number.isInteger(gib) ? grouped(gib, 0) : gib.toFixed(1)} GiB`;
};

/** `850 ms`, `41 s`, `1 min 32 s`, `2 h 14 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  const [[large, largeName], [small, smallName]] = unitsFor(ms);
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms % large) / small);
  return rest === 0 || large === SECOND_MS ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`;
}

type DurationUnit = readonly [ms: number, name: string];
const SECONDS: DurationUnit = [SECOND_MS, 's'];
const MINUTES: DurationUnit = [MINUTE_MS, 'min'];
const HOURS: DurationUnit = [HOUR_MS, 'h'];
const DAYS: DurationUnit = [DAY_MS, 'd'];

function unitsFor(ms: number): readonly [DurationUnit, DurationUnit] {
  if (ms < MINUTE_MS) return [SECONDS, SECONDS];
  if (ms < HOUR_MS) return [MINUTES, SECONDS];
  return ms < DAY_MS ? [HOURS, MINUTES] : [DAYS, HOURS];
}

/** `14:32:07` in UTC, as in records. */
export const formatTime = (at: number): string => new Date(at).toISOString().slice(11, 19);

/** Shortens instants in a text to times of day, as everywhere on the page. */
export const shortenTimes = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g, '$1');

/** `14:32`. */
export const formatMinute = (at: number): string => new Date(at).toISOString().slice(11, 16);

/** `1 pod`, `11 pods`. */
export const plural = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
