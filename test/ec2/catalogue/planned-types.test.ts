import { describe, expect, it } from 'vitest';
import { listInstanceTypes } from '../../../shared/ec2/catalogue/instance-types.ts';
import { findOnDemandUsd } from '../../../shared/ec2/catalogue/on-demand-prices.ts';
import type { Offering } from '../../../shared/model/offerings/instance-type.ts';
import { GIB, type Resources } from '../../../shared/model/resources.ts';
import { planProvisioning } from '../../../shared/scheduling/plan-provisioning.ts';
import { aNodeClass, aNodePool, aPod, aPodSpec, aSnapshot, ZONES } from '../../support/builders.ts';

/** g4ad has a price but no known zone; in this test a zone offers it. */
const offeringsOf = (name: string): Offering[] =>
  ZONES.map((zone) => ({
    instanceType: name,
    zone,
    capacityType: 'on-demand',
    hourlyUsd: findOnDemandUsd(name) ?? 1,
  }));

/** Returns the types of the claims for pods with these requests, planned with these types only. */
function planned(
  names: readonly string[],
  requests: readonly Resources[],
  nodeClass = aNodeClass(),
): readonly (readonly string[])[] {
  const pool = aNodePool();
  const types = listInstanceTypes(nodeClass).filter(({ name }) => names.includes(name));
  const pods = requests.map((some, i) =>
    aPod({ name: `pod-${i}`, spec: aPodSpec({ requests: { cpu: 100, pods: 1, ...some } }) }),
  );
  const plan = planProvisioning(
    aSnapshot({
      pools: [pool],
      pods,
      instanceTypes: { [pool.name]: types },
      offerings: names.flatMap(offeringsOf),
    }),
    'decision-1',
  );
  return plan.claims.map(({ claim }) => claim.instanceTypes);
}

const some = (resource: string, ...amounts: readonly number[]): Resources[] =>
  amounts.map((amount) => ({ [resource]: amount }));
const disk = (...gib: readonly number[]) => some('ephemeral-storage', ...gib.map((amount) => amount * GIB));

describe('pods get nodes with the requested resources', () => {
  it('plans no branch interfaces on t3.large and nine on m5.large', () => {
    const podEni = 'vpc.amazonaws.com/pod-eni';

    expect(planned(['t3.large'], some(podEni, 1))).toEqual([]);
    expect(planned(['t3.large', 'm5.large'], some(podEni, 1))).toEqual([['m5.large']]);
    expect(planned(['m5.large'], some(podEni, 9, 1))).toHaveLength(2);
  });

  it.each<[string, string, Resources[], number]>([
    ['I25', 'p5.48xlarge', some('nvidia.com/gpu', 5, 2, 5), 2],
    ['I26', 'inf2.24xlarge', some('aws.amazon.com/neuron', 2, 2, 4), 2],
    ['I27', 'g4ad.16xlarge', some('amd.com/gpu', 1, 2, 4), 2],
    ['I28', 'p5.48xlarge', some('vpc.amazonaws.com/efa', 1, 2), 1],
  ])('plans %s: %s for %j: %i', (_, name, requests, nodes) => {
    expect(planned([name], requests)).toEqual(Array.from({ length: nodes }, () => [name]));
  });

  it('plans a neuron of trn1 and two cores of inf2 on the cheapest types', () => {
    const neuron = some('aws.amazon.com/neuron', 1);
    const cores = some('aws.amazon.com/neuroncore', 2);

    expect(planned(['m5.large', 'trn1.2xlarge'], neuron)).toEqual([['trn1.2xlarge']]);
    expect(planned(['inf2.xlarge', 'm5.large'], cores)).toEqual([['inf2.xlarge']]);
  });

  it('plans addresses of Windows nodes on Windows nodes only', () => {
    const address = some('vpc.amazonaws.com/PrivateIPv4Address', 1);
    const windows = aNodeClass({ amiFamily: 'Windows2022' });

    expect(planned(['m5.large'], address, windows)).toHaveLength(1);
    expect(planned(['m5.large'], address)).toEqual([]);
  });

  it.each<[readonly number[], number]>([
    [[10], 1],
    [[19], 0],
    [[10, 10], 2],
    [[150], 0],
  ])('plans pods with %j Gi of a 20Gi disk on %i nodes', (gib, nodes) => {
    expect(planned(['m5.large'], disk(...gib))).toHaveLength(nodes);
  });

  it('plans instance store if it is a RAID 0 volume', () => {
    const raid = aNodeClass({ instanceStorePolicy: 'RAID0' });

    expect(planned(['m6idn.32xlarge'], disk(5000), raid)).toHaveLength(1);
    expect(planned(['m6idn.32xlarge'], disk(5000))).toEqual([]);
  });
});
