import { describe, expect, it } from 'vitest';
import { chooseOverride, readFleetParameters } from './fleet-parameters.ts';

const OVERRIDES = 'LaunchTemplateConfigs.1.Overrides';

/** A request for the large, dear type first, then the small, cheap one. */
const launchedType = (strategy: string): string | undefined => {
  const fleet = readFleetParameters(
    new URLSearchParams({
      'TargetCapacitySpecification.DefaultTargetCapacityType': 'on-demand',
      'OnDemandOptions.AllocationStrategy': strategy,
      [`${OVERRIDES}.1.InstanceType`]: 'c6g.medium',
      [`${OVERRIDES}.1.Priority`]: '1',
      [`${OVERRIDES}.2.InstanceType`]: 'm7a.8xlarge',
      [`${OVERRIDES}.2.Priority`]: '0',
    }),
  );
  return chooseOverride(fleet.overrides, fleet)?.instanceType;
};

describe('a CreateFleet request in the lab', () => {
  it('launches the cheapest type, or the first by priority if its strategy says so', () => {
    expect(launchedType('lowest-price')).toBe('c6g.medium');
    expect(launchedType('prioritized')).toBe('m7a.8xlarge');
  });
});
