import type { DeviceConstraint } from '../../model/devices.ts';
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
