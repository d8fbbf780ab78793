import { describe, expect, it } from 'vitest';
import { EC2_TYPES, findEc2Type } from '../../shared/catalogue/ec2-types.ts';
import { toInstanceType } from '../../shared/catalogue/instance-types.ts';
import type { InstanceType } from '../../shared/model/instance-type.ts';
import { aNodeClass } from '../support/builders.ts';
import { PUBLISHED_TYPES } from './published.ts';

const POD_ENI = 'vpc.amazonaws.com/pod-eni';

/** EC2 corrected the clock speed of these families after the reference was written. */
const CLOCK_CORRECTED: ReadonlySet<string> = new Set(['c9g', 'c9gd', 'm9g', 'm9gd', 'i7i', 'i7ie']);
/** EC2 and the reference disagree about the baseline. */
const BANDWIDTH_DISPUTED = ['g7.2xlarge', 'g7.4xlarge', 'g7.8xlarge'];

const derive = (name: string): InstanceType | undefined => {
  const type = findEc2Type(name);
  return type && toInstanceType(type, aNodeClass());
};

/** Keys at which the two differ, absence included. */
const differences = <T>(a: Readonly<Record<string, T>>, b: Readonly<Record<string, T>>): string[] =>
  Object.keys({ ...a, ...b }).filter((key) => a[key] !== b[key]);

const PREFIX = 'karpenter.k8s.aws/instance-';

function publishedForm(labels: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(labels).flatMap(([key, value]) =>
    key.startsWith(PREFIX) ? [[key.slice(PREFIX.length), value] as const] : [],
  );
  return { ...Object.fromEntries(own), arch: labels['kubernetes.io/arch'] ?? '' };
}

describe('bundled instance types', () => {
  it('are all 1363 that the reference publishes, and 28 more', () => {
    expect(PUBLISHED_TYPES.filter(({ name }) => !findEc2Type(name))).toEqual([]);
    expect([PUBLISHED_TYPES.length, EC2_TYPES.length]).toEqual([1363, 1391]);
  });

  it('have the published allocatable: 1363 of 1363', () => {
    const deviating = PUBLISHED_TYPES.flatMap(({ name, allocatable, podEniOutdated }) => {
      const keys = differences(derive(name)?.allocatable ?? {}, allocatable);
      return keys.filter((key) => !(podEniOutdated && key === POD_ENI)).map((key) => [name, key]);
    });

    expect(deviating).toEqual([]);
  });

  it('have the published labels, and no other: 1363 of 1363 but for two corrected facts', () => {
    const deviating = PUBLISHED_TYPES.flatMap(({ name, labels }) =>
      differences(publishedForm(derive(name)?.labels ?? {}), labels).map((key) => ({ name, key })),
    );

    const clock = deviating.filter(({ key }) => key === 'cpu-sustained-clock-speed-mhz');
    const family = ({ name }: { name: string }) => name.split('.')[0] ?? '';
    expect(clock).toHaveLength(66);
    expect(new Set(clock.map(family))).toEqual(CLOCK_CORRECTED);
    expect(deviating.filter((each) => !clock.includes(each))).toEqual(
      BANDWIDTH_DISPUTED.map((name) => ({ name, key: 'network-bandwidth' })),
    );
  });
});
