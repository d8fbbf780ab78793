import { judgeDevice } from '../../../shared/api/cel/device-selectors.ts';
import type {
  DeviceSelection,
  DeviceConstraint,
  RequestedDevices,
} from '../../../shared/model/pods/devices.ts';
import type { Supplied } from './device-supply.ts';

/** A claim at the node where its pod is to be. */
export interface Sought {
  readonly name: string;
  readonly wish: RequestedDevices;
  readonly supply: readonly Supplied[];
}

/** By device, part and counter. */
export type InUse = ReadonlyMap<string, number>;

/** Tries everything: claims are few in tests. */
export function assign([first, ...others]: readonly Sought[], used: InUse): boolean {
  if (!first) return true;
  for (const next of waysFor(first, used)) if (assign(others, next)) return true;
  return false;
}

function* waysFor({ wish, supply }: Sought, used: InUse): Generator<InUse> {
  const slots = wish.requests.map(({ choices }) => choices);
  for (const choices of combinations(slots))
    yield* fill(choices, wish.constraints, supply, used, []);
}

function* combinations<T>([first, ...others]: readonly (readonly T[])[]): Generator<T[]> {
  if (!first) yield [];
  for (const one of first ?? []) for (const rest of combinations(others)) yield [one, ...rest];
}

interface Picked {
  readonly choice: string;
  readonly device: Supplied;
}

function* fill(
  [first, ...others]: readonly DeviceSelection[],
  constraints: readonly DeviceConstraint[],
  supply: readonly Supplied[],
  used: InUse,
  picked: readonly Picked[],
): Generator<InUse> {
  if (!constraints.every((constraint) => isKept(constraint, picked))) return;
  if (!first) {
    yield used;
    return;
  }
  const fitting = supply.filter((one) => suits(one, first));
  const count = first.count === 'all' ? fitting.length : first.count;
  if (count === 0) return;
  for (const [chosen, next] of picks(first, fitting, count, used)) {
    const more = chosen.map((device) => ({ choice: first.name, device }));
    yield* fill(others, constraints, supply, next, [...picked, ...more]);
  }
}

function* picks(
  choice: DeviceSelection,
  from: readonly Supplied[],
  count: number,
  used: InUse,
): Generator<readonly [Supplied[], InUse]> {
  if (count === 0) {
    yield [[], used];
    return;
  }
  for (const [at, device] of from.entries()) {
    const next = taken(device, choice, used);
    if (!next) continue;
    const rest = from.slice(device.device.shareable ? at : at + 1);
    for (const [chosen, last] of picks(choice, rest, count - 1, next)) {
      yield [[device, ...chosen], last];
    }
  }
}

const suits = ({ device, driver }: Supplied, { selectors, tolerations }: DeviceSelection): boolean =>
  selectors.every((one) => judgeDevice(one, device, driver) === 'matches') &&
  (device.taints ?? []).every(
    ({ effect, key }) =>
      effect === 'None' || tolerations.some((one) => one.key === undefined || one.key === key),
  );

/** What is in use with the device taken as well; undefined if that is too much. */
function taken(
  { key, device, pool, counters }: Supplied,
  { capacity, adminAccess }: DeviceSelection,
  used: InUse,
): InUse | undefined {
  if (adminAccess) return used;
  const next = new Map(used);
  const users = used.get(`${key}|`) ?? 0;
  if (users > 0 && !device.shareable) return undefined;
  next.set(`${key}|`, users + 1);
  for (const name of Object.keys(capacity)) if (!device.capacity[name]) return undefined;
  for (const [name, { value, policy }] of Object.entries(device.capacity)) {
    const least = Math.max(capacity[name] ?? policy?.byDefault ?? value, policy?.range?.least ?? 0);
    const share = (used.get(`${key}|${name}`) ?? 0) + least;
    if (share > value) return undefined;
    if (device.shareable) next.set(`${key}|${name}`, share);
  }
  for (const { set, counters: needs } of users > 0 ? [] : (device.uses ?? [])) {
    for (const [name, amount] of Object.entries(needs)) {
      const all = (next.get(`${pool}|${set}|${name}`) ?? 0) + amount;
      if (all > (counters[`${set}|${name}`] ?? 0)) return undefined;
      next.set(`${pool}|${set}|${name}`, all);
    }
  }
  return next;
}

function isKept(
  { requests, attribute, kind }: DeviceConstraint,
  picked: readonly Picked[],
): boolean {
  const about = picked.filter(
    ({ choice }) =>
      requests.length === 0 ||
      requests.includes(choice) ||
      requests.includes(choice.split('/')[0] ?? ''),
  );
  const values = about.flatMap(({ device: { device, driver } }) => {
    const local = device.attributes[attribute.replace(`${driver}/`, '')];
    const value = device.attributes[attribute] ?? local;
    return value ? [JSON.stringify(value)] : [];
  });
  if (values.length < about.length) return false;
  const distinct = new Set(values).size;
  return kind === 'match' ? distinct <= 1 : distinct === values.length;
}
