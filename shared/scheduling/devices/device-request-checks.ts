import type { Device, DeviceCapacity, DeviceConstraint, DeviceTaint } from '../../model/devices.ts';
import { type Taint, tolerates, type Toleration } from '../../model/taints.ts';
import type { ShelfDevice } from './device-pools.ts';

/** What the devices of one claim have to have in common, while they are being chosen. */
export interface ConstraintBook {
  /** Whether one more device keeps to all of it; if so, those that follow have to suit it. */
  admits(choice: string, found: ShelfDevice): boolean;
  /** Takes back the last device that was admitted. */
  forget(choice: string): void;
}

export function constraintBook(constraints: readonly DeviceConstraint[]): ConstraintBook {
  const open = constraints.map((constraint) => ({ constraint, values: [] as string[] }));
  const about = (choice: string) => open.filter(({ constraint }) => isAbout(constraint, choice));
  return {
    admits(choice, found) {
      const added: string[][] = [];
      for (const { constraint, values } of about(choice)) {
        const value = attributeOf(found, constraint.attribute);
        if (value === undefined || !keeps(constraint, values, value)) {
          for (const before of added) before.pop();
          return false;
        }
        values.push(value);
        added.push(values);
      }
      return true;
    },
    forget(choice) {
      for (const { values } of about(choice)) values.pop();
    },
  };
}

/** A constraint on a request is one on all of its alternatives. */
const isAbout = ({ requests }: DeviceConstraint, choice: string): boolean =>
  requests.length === 0 ||
  requests.some((request) => request === choice || choice.startsWith(`${request}/`));

const keeps = ({ kind }: DeviceConstraint, values: readonly string[], value: string): boolean =>
  kind === 'match' ? values.every((one) => one === value) : !values.includes(value);

/** As text; a name without a domain is in the driver's. */
function attributeOf({ device, driver }: ShelfDevice, name: string): string | undefined {
  const { attributes } = device;
  const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;
  const value = attributes[name] ?? attributes[own];
  return value && JSON.stringify(value);
}

/**
 * What a claim that asks for `wanted` would take of each capacity of the device; undefined if it
 * cannot have that much of one.
 *
 * @see resource.k8s.io/v1, CapacityRequirements and CapacityRequestPolicy
 */
export function partOf(
  { capacity }: Device,
  wanted: Readonly<Record<string, number>>,
  driver: string,
): ReadonlyMap<string, number> | undefined {
  const asked = new Map(
    Object.entries(wanted).map(([name, amount]) => [local(name, driver), amount]),
  );
  const part = new Map<string, number>();
  for (const [name, offered] of Object.entries(capacity)) {
    const amount = taken(offered, asked.get(local(name, driver)));
    if (amount === undefined || amount > offered.value) return undefined;
    part.set(name, amount);
    asked.delete(local(name, driver));
  }
  return asked.size === 0 ? part : undefined;
}

/** Names without a domain are in the driver's. */
const local = (name: string, driver: string): string =>
  name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;

function taken({ value, policy }: DeviceCapacity, wanted: number | undefined): number | undefined {
  if (wanted === undefined) return policy?.byDefault ?? value;
  if (policy?.valid) return policy.valid.find((amount) => amount >= wanted);
  if (!policy?.range) return wanted;
  const { least, most = value, step } = policy.range;
  const steps = step ? Math.ceil(Math.max(0, wanted - least) / step) * step : 0;
  const amount = step ? least + steps : Math.max(least, wanted);
  return amount <= most ? amount : undefined;
}

/** Whether a request may have a device in spite of its taints. */
export const isTolerated = ({ taints = [] }: Device, tolerations: readonly Toleration[]): boolean =>
  taints.every((taint) => !keepsAway(taint) || tolerations.some((one) => tolerates(one, taint)));

/** The others are only said for people to read. */
const keepsAway = (taint: DeviceTaint): taint is DeviceTaint & Taint =>
  taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';
