import { findOnDemandUsd } from '../../../../shared/ec2/catalogue/on-demand-prices.ts';

/** One offering of a CreateFleet request, with the prefixes of its parameters. */
export interface Override {
  /** For example `LaunchTemplateConfigs.<n>`. */
  readonly config: string;
  /** For example `LaunchTemplateConfigs.<n>.Overrides.<m>`. */
  readonly prefix: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly subnet: string;
  /** For example `m7g.large/us-east-1a/spot`. */
  readonly offering: string;
  /** The lowest number comes first, if the strategy goes by priority. */
  readonly priority: number;
}

/** The parameters of a CreateFleet request, parsed from EC2's flat names. */
export interface FleetParameters {
  readonly clientToken: string;
  readonly capacityType: 'spot' | 'on-demand';
  readonly count: number;
  /** True if the allocation strategy takes the overrides by priority, not by price. */
  readonly isPrioritized: boolean;
  readonly overrides: readonly Override[];
}

const OVERRIDE = /^((LaunchTemplateConfigs\.\d+)\.Overrides\.\d+)\./;

export function readFleetParameters(parameters: URLSearchParams): FleetParameters {
  const get = (name: string): string => parameters.get(name) ?? '';
  const specification = 'TargetCapacitySpecification';
  const capacityType = get(`${specification}.DefaultTargetCapacityType`) === 'spot' ? 'spot' : 'on-demand';
  const strategy = get(`${capacityType === 'spot' ? 'SpotOptions' : 'OnDemandOptions'}.AllocationStrategy`);
  const prefixes = new Map<string, string>();
  for (const name of parameters.keys()) {
    const [, prefix, config] = OVERRIDE.exec(name) ?? [];
    if (prefix !== undefined && config !== undefined) prefixes.set(prefix, config);
  }
  return {
    clientToken: get('ClientToken'),
    capacityType,
    count: Number(get(`${specification}.TotalTargetCapacity`)),
    isPrioritized: strategy.endsWith('prioritized'),
    overrides: [...prefixes].map(([prefix, config]) => {
      const instanceType = get(`${prefix}.InstanceType`);
      const zone = get(`${prefix}.AvailabilityZone`);
      const offering = `${instanceType}/${zone}/${capacityType}`;
      const subnet = get(`${prefix}.SubnetId`);
      const priority = Number(parameters.get(`${prefix}.Priority`) ?? Number.POSITIVE_INFINITY);
      return { config, prefix, instanceType, zone, subnet, offering, priority };
    }),
  };
}

/** Reads the name of the launch template of an override. */
export const readTemplateName = (parameters: URLSearchParams, { config }: Override): string =>
  parameters.get(`${config}.LaunchTemplateSpecification.LaunchTemplateName`) ?? '';

/**
 * Restricts the request to one offering, so that the emulator launches exactly this one. The
 * emulator launches reserved capacity as on-demand.
 */
export function narrowToOverride(parameters: URLSearchParams, chosen: Override): URLSearchParams {
  const narrowed = new URLSearchParams();
  for (const [name, value] of parameters) {
    const isOther = name.startsWith('LaunchTemplateConfigs.') && !isOf(name, chosen);
    const isReserved = name.startsWith('ReservedCapacityOptions.');
    if (!isOther && !isReserved) narrowed.append(renumbered(name, chosen), value);
  }
  const target = 'TargetCapacitySpecification.DefaultTargetCapacityType';
  if (narrowed.get(target) === 'reserved-capacity') narrowed.set(target, 'on-demand');
  return narrowed;
}

/** True for parameters of the chosen configuration, except its other overrides. */
const isOf = (name: string, { config, prefix }: Override): boolean =>
  name.startsWith(`${prefix}.`) || (name.startsWith(`${config}.`) && !name.startsWith(`${config}.Overrides.`));

const renumbered = (name: string, { config, prefix }: Override): string =>
  name.replace(`${prefix}.`, 'LaunchTemplateConfigs.1.Overrides.1.').replace(`${config}.`, 'LaunchTemplateConfigs.1.');

/**
 * Chooses the override that EC2 would launch if all have capacity: the first by priority, or the
 * cheapest. Unknown prices come last.
 */
export const chooseOverride = (
  overrides: readonly Override[],
  { isPrioritized }: Pick<FleetParameters, 'isPrioritized'>,
): Override | undefined =>
  overrides.toSorted((a, b) => (isPrioritized ? a.priority - b.priority : 0) || priceOf(a) - priceOf(b))[0];

const priceOf = ({ instanceType }: Override): number => findOnDemandUsd(instanceType) ?? Number.POSITIVE_INFINITY;
