import { evaluateSelector } from '../../../shared/api/cel/device-selectors.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { DeviceClaimSpec, DeviceConstraint, DeviceSelection } from '../../../shared/model/pods/devices.ts';
import type { UsableDevice } from './device-supply.ts';

/** A claim at the node of its pod. */
export interface RequestedClaim {
  readonly name: string;
  readonly request: DeviceClaimSpec;
  readonly supply: readonly UsableDevice[];
}

/** Amounts in use by device, device capacity and counter. */
export type DeviceUsage = ReadonlyMap<string, number>;

/** Tries every assignment; tests have few claims. */
export function canAssignDevices([first, ...others]: readonly RequestedClaim[], used: DeviceUsage): boolean {
  if (!first) return true;
  for (const next of attemptsFor(first, used)) if (canAssignDevices(others, next)) return true;
  return false;
}

function* attemptsFor({ request, supply }: RequestedClaim, used: DeviceUsage): Generator<DeviceUsage> {
  const slots = request.requests.map(({ choices }) => choices);
  for (const choices of combinations(slots)) yield* fill(choices, request.constraints, supply, used, []);
}

function* combinations<T>([first, ...others]: readonly (readonly T[])[]): Generator<T[]> {
  if (!first) yield [];
  for (const one of first ?? []) for (const rest of combinations(others)) yield [one, ...rest];
}

interface PickedDevice {
  readonly choice: string;
  readonly device: UsableDevice;
}

function* fill(
  [first, ...others]: readonly DeviceSelection[],
  constraints: readonly DeviceConstraint[],
  supply: readonly UsableDevice[],
  used: DeviceUsage,
  picked: readonly PickedDevice[],
): Generator<DeviceUsage> {
  if (!constraints.every((constraint) => isConstraintKept(constraint, picked))) return;
  if (!first) {
    yield used;
    return;
  }
  const fitting = supply.filter((one) => matchesRequest(one, first));
  const count = first.count === 'all' ? fitting.length : first.count;
  if (count === 0) return;
  for (const [chosen, next] of picks(first, fitting, count, used)) {
    const more = chosen.map((device) => ({ choice: first.name, device }));
    yield* fill(others, constraints, supply, next, [...picked, ...more]);
  }
}

function* picks(
  choice: DeviceSelection,
  from: readonly UsableDevice[],
  count: number,
  used: DeviceUsage,
): Generator<readonly [UsableDevice[], DeviceUsage]> {
  if (count === 0) {
    yield [[], used];
    return;
  }
  for (const [at, device] of from.entries()) {
    const next = withDevice(device, choice, used);
    if (!next) continue;
    const rest = from.slice(device.device.shareable ? at : at + 1);
    for (const [chosen, last] of picks(choice, rest, count - 1, next)) {
      yield [[device, ...chosen], last];
    }
  }
}

const matchesRequest = ({ device, driver }: UsableDevice, { selectors, tolerations }: DeviceSelection): boolean =>
  selectors.every((one) => evaluateSelector(one, device, driver) === 'matches') &&
  (device.taints ?? []).every(
    ({ effect, key }) => effect === 'None' || tolerations.some((one) => one.key === undefined || one.key === key),
  );

/** Adds the device to those in use; undefined if it exceeds what is free. */
function withDevice(
  { key, device, pool, counters }: UsableDevice,
  { capacity, adminAccess }: DeviceSelection,
  used: DeviceUsage,
): DeviceUsage | undefined {
  if (adminAccess) return used;
  const next = new Map(used);
  const users = used.get(`${key}|`) ?? 0;
  if (users > 0 && !device.shareable) return undefined;
  next.set(`${key}|`, users + 1);
  for (const name of Object.keys(capacity)) if (!ownValue(device.capacity, name)) return undefined;
  for (const [name, { value, policy }] of Object.entries(device.capacity)) {
    const min = Math.max(ownValue(capacity, name) ?? policy?.byDefault ?? value, policy?.range?.min ?? 0);
    const share = (used.get(`${key}|${name}`) ?? 0) + min;
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

function isConstraintKept({ requests, attribute, kind }: DeviceConstraint, picked: readonly PickedDevice[]): boolean {
  const about = picked.filter(
    ({ choice }) => requests.length === 0 || requests.includes(choice) || requests.includes(choice.split('/')[0] ?? ''),
  );
  const values = about.flatMap(({ device: { device, driver } }) => {
    const local = ownValue(device.attributes, attribute.replace(`${driver}/`, ''));
    const value = ownValue(device.attributes, attribute) ?? local;
    return value ? [JSON.stringify(value)] : [];
  });
  if (values.length < about.length) return false;
  const distinct = new Set(values).size;
  return kind === 'match' ? distinct <= 1 : distinct === values.length;
}
