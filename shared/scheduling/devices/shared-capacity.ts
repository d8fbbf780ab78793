import type { Device, DeviceCapacity } from '../../model/devices.ts';

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
