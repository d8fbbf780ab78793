import { ownValue } from '../../model/own-value.ts';
import type { Device, DeviceCapacity, DeviceConstraint, DeviceTaint } from '../../model/pods/devices.ts';
import { type Taint, type Toleration, tolerates } from '../../model/requirements/taints.ts';
import type { SuppliedDevice } from './device-pools.ts';

/** Checks the constraints between the devices of one claim while they are being chosen. */
export interface ConstraintTracker {
  /** Adds a device if it satisfies the constraints together with those chosen before. */
  admits(choice: string, supplied: SuppliedDevice): boolean;
  /** Removes the device that was added last. */
  forget(choice: string): void;
}

export function createConstraintTracker(constraints: readonly DeviceConstraint[]): ConstraintTracker {
  const tracked = constraints.map((constraint) => ({ constraint, values: [] as string[] }));
  const findApplicable = (choice: string) => tracked.filter(({ constraint }) => appliesTo(constraint, choice));
  return {
    admits(choice, supplied) {
      const addedTo: string[][] = [];
      for (const { constraint, values } of findApplicable(choice)) {
        const value = getAttribute(supplied, constraint.attribute);
        if (value === undefined || !isSatisfied(constraint, values, value)) {
          for (const earlier of addedTo) earlier.pop();
          return false;
        }
        values.push(value);
        addedTo.push(values);
      }
      return true;
    },
    forget(choice) {
      for (const { values } of findApplicable(choice)) values.pop();
    },
  };
}

/** A constraint on a request applies to all of its alternatives (`request/alternative`). */
const appliesTo = ({ requests }: DeviceConstraint, choice: string): boolean =>
  requests.length === 0 || requests.some((request) => request === choice || choice.startsWith(`${request}/`));

const isSatisfied = ({ kind }: DeviceConstraint, values: readonly string[], value: string): boolean =>
  kind === 'match' ? values.every((one) => one === value) : !values.includes(value);

/** Returns the attribute as text. A name without a domain belongs to the driver's domain. */
function getAttribute({ device, driver }: SuppliedDevice, name: string): string | undefined {
  const { attributes } = device;
  const own = name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;
  const value = ownValue(attributes, name) ?? ownValue(attributes, own);
  return value && JSON.stringify(value);
}

/**
 * Computes how much of each capacity of the device a claim consumes; undefined if the device cannot
 * provide it.
 *
 * @see resource.k8s.io/v1, CapacityRequirements and CapacityRequestPolicy
 */
export function computeConsumedCapacity(
  { capacity }: Device,
  requested: Readonly<Record<string, number>>,
  driver: string,
): ReadonlyMap<string, number> | undefined {
  const unmatched = new Map(
    Object.entries(requested).map(([name, amount]) => [withoutDriverDomain(name, driver), amount]),
  );
  const consumed = new Map<string, number>();
  for (const [name, offered] of Object.entries(capacity)) {
    const amount = computeAmount(offered, unmatched.get(withoutDriverDomain(name, driver)));
    if (amount === undefined || amount > offered.value) return undefined;
    consumed.set(name, amount);
    unmatched.delete(withoutDriverDomain(name, driver));
  }
  return unmatched.size === 0 ? consumed : undefined;
}

/** A name without a domain belongs to the driver's domain. */
const withoutDriverDomain = (name: string, driver: string): string =>
  name.startsWith(`${driver}/`) ? name.slice(driver.length + 1) : name;

function computeAmount({ value, policy }: DeviceCapacity, requested: number | undefined): number | undefined {
  if (requested === undefined) return policy?.byDefault ?? value;
  if (policy?.valid) return policy.valid.find((amount) => amount >= requested);
  if (!policy?.range) return requested;
  const { min, max = value, step } = policy.range;
  const steps = step ? Math.ceil(Math.max(0, requested - min) / step) * step : 0;
  const amount = step ? min + steps : Math.max(min, requested);
  return amount <= max ? amount : undefined;
}

/** True if the tolerations allow a request to use the device. */
export const isTolerated = ({ taints = [] }: Device, tolerations: readonly Toleration[]): boolean =>
  taints.every((taint) => !isBlockingTaint(taint) || tolerations.some((one) => tolerates(one, taint)));

/** Other effects are only informative. */
const isBlockingTaint = (taint: DeviceTaint): taint is DeviceTaint & Taint =>
  taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';
