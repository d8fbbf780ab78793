import { describe, expect, it } from 'vitest';
import { readEC2NodeClass } from '../../../shared/api/stored-objects/ec2-node-class.ts';
import { computeCapacity } from '../../../shared/ec2/catalogue/capacity.ts';
import { findIncompatibility, findPlacementConflict } from '../../../shared/ec2/catalogue/compatibility.ts';
import { listInstanceTypes } from '../../../shared/ec2/catalogue/instance-types.ts';
import { computeMaxPods, countEniPods } from '../../../shared/ec2/catalogue/max-pods.ts';
import type { ClassInterface, EC2NodeClass } from '../../../shared/model/nodes/node-class.ts';
import { aNodeClass } from '../../support/builders.ts';
import { aWrittenClass } from '../../support/node-classes.ts';
import { ec2Type } from './ec2-type.ts';

const PRIMARY: ClassInterface = { card: 0, device: 0, type: 'interface' };
const fabric = (card: number, device: number): ClassInterface => ({
  card,
  device,
  type: 'efa-only',
});

const withInterfaces = (...more: readonly ClassInterface[]): EC2NodeClass =>
  aNodeClass({ networkInterfaces: [PRIMARY, ...more] });

const why = (name: string, nodeClass: EC2NodeClass) => findIncompatibility(ec2Type(name), nodeClass);

describe('the compatible types of a class', () => {
  it.each<[string, EC2NodeClass, string | undefined]>([
    ['m5.large', withInterfaces(), undefined],
    ['m5.large', withInterfaces(fabric(1, 0)), 'has no network card 1'],
    ['m5.large', withInterfaces(fabric(0, 3)), 'network card 0 has no device 3'],
    ['m5.large', withInterfaces(fabric(0, 1)), 'has 0 EFA interfaces of the 1 in networkInterfaces'],
    [
      'm6idn.32xlarge',
      withInterfaces(fabric(0, 1), fabric(0, 2), fabric(1, 1)),
      'has 2 EFA interfaces of the 3 in networkInterfaces',
    ],
    ['m6idn.32xlarge', withInterfaces(fabric(0, 1), fabric(1, 1)), undefined],
    ['m2.xlarge', withInterfaces(), 'has no enhanced networking, which networkInterfaces need'],
  ])('include %s with interfaces %j: %s', (name, nodeClass, text) => {
    expect(why(name, nodeClass)).toBe(text);
  });

  it('have nested virtualization if the class enables it', () => {
    const nesting = aNodeClass({ nestsVirtualization: true });

    expect(why('m8i.large', nesting)).toBeUndefined();
    expect(why('m5.large', nesting)).toBe('has no nested virtualization');
    expect(why('m5.large', aNodeClass())).toBeUndefined();
  });

  it.each([
    ['m5.large', 'cluster', true],
    ['t3.medium', 'cluster', false],
    ['t3.medium', 'spread', true],
  ] as const)('include %s in a %s placement group: %s', (name, strategy, fits) => {
    expect(findPlacementConflict(ec2Type(name), strategy) === undefined).toBe(fits);
  });

  it('support the strategy of its placement group', () => {
    const alone = { ...ec2Type('t3.medium'), placements: [] };

    expect(findPlacementConflict(alone, 'spread')).toBe('cannot stand in a spread placement group');
  });

  it('are on Nitro if the class configures connection tracking', () => {
    const tracking = aNodeClass({ tracksConnections: true });

    expect(why('m5.large', tracking)).toBeUndefined();
    expect(why('m4.large', tracking)).toBe('is not on Nitro, which connectionTracking needs');
  });

  it('support enclaves if the class enables them', () => {
    const enclaves = aNodeClass({ runsEnclaves: true });

    expect(why('m5.xlarge', enclaves)).toBeUndefined();
    expect(why('t3.large', enclaves)).toBe('does not support Nitro Enclaves');
    expect(why('t3.large', aNodeClass())).toBeUndefined();
  });

  it('follow from the class as it is written', () => {
    const networkInterfaces = [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
    ];
    const written = aWrittenClass({
      networkInterfaces,
      cpuOptions: { nestedVirtualization: 'enabled' },
      connectionTracking: { udpTimeout: 30 },
      enclaveOptions: { enabled: true },
    });

    expect(readEC2NodeClass('default', written)).toMatchObject({
      value: {
        networkInterfaces: [PRIMARY, fabric(1, 1)],
        nestsVirtualization: true,
        tracksConnections: true,
        runsEnclaves: true,
      },
    });
  });

  it('exclude all others from the list', () => {
    const names = listInstanceTypes(withInterfaces(fabric(1, 1))).map(({ name }) => name);

    expect(names).toContain('m6idn.32xlarge');
    expect(names).not.toContain('m5.large');
    expect(listInstanceTypes(aNodeClass()).map(({ name }) => name)).toContain('m5.large');
  });
});

describe('EFA interfaces', () => {
  it('reduce the pods of the first card', () => {
    const type = ec2Type('m6idn.32xlarge');

    expect(countEniPods(type)).toBe(394);
    expect(computeMaxPods(type, withInterfaces(fabric(0, 1)))).toBe(345);
    expect(computeMaxPods(type, withInterfaces(fabric(1, 1)))).toBe(394);
  });

  it('are the EFA resources of the node if the class lists its interfaces', () => {
    const efa = 'vpc.amazonaws.com/efa';
    const capacity = (nodeClass: EC2NodeClass) => computeCapacity(ec2Type('m6idn.32xlarge'), nodeClass)[efa];

    expect(capacity(aNodeClass())).toBe(2);
    expect(capacity(withInterfaces(fabric(1, 1)))).toBe(1);
    expect(capacity(withInterfaces())).toBeUndefined();
  });
});
