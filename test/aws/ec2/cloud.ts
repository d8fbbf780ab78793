import type { CapacityUsageStore } from '../../../shared/aws/dynamodb/capacity-usage.ts';
import { ec2Cloud } from '../../../shared/aws/ec2/ec2-cloud.ts';
import { bundledPriceSource } from '../../../shared/aws/ec2/prices/ec2-price-source.ts';
import { createLaunchTemplates } from '../../../shared/aws/node-class/launch-templates.ts';
import { createLaunchableFinder } from '../../../shared/aws/node-class/launchable-class.ts';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { UnavailableOffering } from '../../../shared/model/offerings/instance-type.ts';
import type { ResolvedNodeClass } from '../../../shared/ports/node-classes.ts';
import { aNodeClaim, NOON, REGION, ZONES } from '../../support/builders.ts';
import { aResolvedClass } from '../../support/node-classes.ts';
import { simCapacityUsage } from '../support/capacity-usage.ts';
import { type FakeEc2, fakeEc2, type Refuse } from '../support/fake-ec2.ts';
import { simTemplateUses } from '../support/template-uses.ts';

const SETTINGS = { region: REGION, cluster: 'demo' };
const CLOCK = { now: () => NOON };
export const ONLY_ON_DEMAND = {
  key: CAPACITY_TYPE_LABEL,
  operator: 'In',
  values: ['on-demand'],
} as const;
export const ONLY_SPOT = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot'] } as const;
export const ONLY_ZONE_A = { key: ZONE_LABEL, operator: 'In', values: [ZONES[0]] } as const;

export interface Circumstances {
  readonly unavailable?: readonly UnavailableOffering[];
  readonly resolved?: Partial<ResolvedNodeClass>;
  readonly taken?: CapacityUsageStore;
  /** Records every read and every warning. */
  readonly traces?: string[];
}

export const cloudOver = (
  ec2: FakeEc2,
  { unavailable = [], resolved, taken = simCapacityUsage(), traces = [] }: Circumstances = {},
) => {
  const reading =
    <T>(what: string, answer: T) =>
    async (): Promise<T> => {
      traces.push(what);
      return answer;
    };
  return ec2Cloud(
    {
      ec2: ec2.client,
      clock: CLOCK,
      log: ({ message }) => void traces.push(message),
      priceSource: bundledPriceSource(ZONES),
      unavailableOfferings: { list: reading('shortages', unavailable) },
      learnedSizes: { list: reading('sizes', []) },
      capacityUsage: taken,
      findNodeClass: createLaunchableFinder({
        nodeClasses: {
          async find(name) {
            traces.push('class');
            return name === 'default' ? aResolvedClass(resolved) : undefined;
          },
        },
        capacityUsage: taken,
        clock: CLOCK,
      }),
      templates: createLaunchTemplates({ ec2: ec2.client, clock: CLOCK, uses: simTemplateUses() }, { region: REGION }),
    },
    SETTINGS,
  );
};

export const aCloud = (refuse?: Refuse, circumstances?: Circumstances) => {
  const ec2 = fakeEc2(refuse);
  return { ec2, cloud: cloudOver(ec2, circumstances) };
};

/** A claim for an on-demand m7i.large in the first zone. */
export const aSimpleClaim = () => aNodeClaim({ requirements: [ONLY_ON_DEMAND, ONLY_ZONE_A] });
export const simple = {
  instanceType: 'm7i.large',
  zone: ZONES[0],
  capacityType: 'on-demand',
} as const;
