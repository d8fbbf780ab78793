import { describe, expect, it } from 'vitest';
import { readStorageClass, readVolume } from '../../../shared/api/builtin-resources/storage.ts';
import type { Reason } from '../../../shared/model/explanations/reasons.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import type { Storage } from '../../../shared/model/pods/storage.ts';
import { aBoundClaim, aStorage, aStorageClass, aVolume, aVolumeClaim, EBS, inZones } from '../../support/storage.ts';
import { aCluster, createPods, fakeType, requesting, spreadOver, tiny, Z1, ZONE } from '../support/fixture.ts';
import { countPodsPerDomain, findZoneOfPod, type ProvisionOutcome, provision } from '../support/provision.ts';

const using = (...volumeClaims: string[]): Partial<PodSpec> => ({ volumeClaims });

/** The reason of the first unplaced pod. */
const whyNot = ({ plan }: ProvisionOutcome): Reason | undefined => plan.unplaced[0]?.pools[0]?.reasons[0];
const sentence = (outcome: ProvisionOutcome): string => {
  const reason = whyNot(outcome);
  return reason ? formatReason(reason) : 'placed';
};

describe('volume attach limits', () => {
  /** A running node that has room for everything except volumes. */
  function limitedTo(count: number, storage: Partial<Storage>) {
    const cluster = aCluster({
      types: [fakeType('big', { cpus: 64, gib: 128, pods: 200 })],
      storage: aStorage(storage),
    });
    const { after, launched } = provision(cluster, tiny('first', { requests: requesting(1) }));
    const drivers = launched.map(({ name }) => ({ name, attachLimits: { [EBS]: count } }));
    return { ...after, storage: aStorage({ ...storage, drivers }) };
  }
  const nodesOf = ({ after }: ProvisionOutcome): number => new Set(after.pods.map(({ nodeName }) => nodeName)).size;

  it('need another node for pods with two volumes each if a node attaches five', () => {
    const claims = Array.from({ length: 12 }, (_, index) => aVolumeClaim({ name: `v${index}` }));
    const pods = Array.from({ length: 6 }, (_, index) =>
      tiny(`p${index}`, using(`v${2 * index}`, `v${2 * index + 1}`)),
    );
    const outcome = provision(limitedTo(10, { claims, classes: [aStorageClass()] }), ...pods);

    expect(outcome.pending).toEqual([]);
    expect(nodesOf(outcome)).toBe(2);
  });

  it('apply to new nodes of an observed instance type', () => {
    const claims = Array.from({ length: 40 }, (_, index) => aVolumeClaim({ name: `v${index}` }));
    const pods = claims.map(({ name }) => tiny(`p-${name}`, using(name)));
    const { plan } = provision(limitedTo(10, { claims, classes: [aStorageClass()] }), ...pods);

    expect(plan.placements.flatMap((one) => one.pods)).toHaveLength(10);
    expect(plan.claims.map((one) => one.pods.length)).toEqual([10, 10, 10]);
    // The attachment resource exists only while planning; nodes do not have it.
    expect(plan.claims.map(({ claim }) => Object.keys(claim.requests))).toEqual([['pods'], ['pods'], ['pods']]);
  });

  it('count a claim that pods share once', () => {
    const storage = { claims: [aVolumeClaim()], classes: [aStorageClass()] };
    const outcome = provision(limitedTo(10, storage), ...createPods(100, 'p', using('data')));

    expect(outcome.pending).toEqual([]);
    expect(nodesOf(outcome)).toBe(1);
  });

  it('do not count volumes that no driver attaches', () => {
    const nfs = readVolume({ metadata: { name: 'pv-0' }, spec: {} });
    const claims = Array.from({ length: 5 }, (_, index) => aBoundClaim(`v${index}`, 'pv-0'));
    const pods = claims.map(({ name }) => tiny(`p-${name}`, using(name)));
    const outcome = provision(limitedTo(1, { claims, volumes: [nfs] }), ...pods);

    expect(outcome.pending).toEqual([]);
    expect(nodesOf(outcome)).toBe(1);
  });

  it.each<[string, Partial<PodSpec>, Partial<Storage>]>([
    ['its class', { ephemeralVolumes: [{ name: 'scratch', storageClass: 'gp3' }] }, { classes: [aStorageClass()] }],
    [
      'the default class',
      { ephemeralVolumes: [{ name: 'scratch' }] },
      { classes: [aStorageClass({ isDefault: true })] },
    ],
    [
      'the newest of the default classes',
      { ephemeralVolumes: [{ name: 'scratch' }] },
      {
        classes: [
          aStorageClass({ name: 'old', driver: 'other', isDefault: true, createdAt: 1 }),
          aStorageClass({ isDefault: true, createdAt: 2 }),
        ],
      },
    ],
  ])('count an ephemeral volume for the driver of %s', (_, spec, storage) => {
    const full = provision(limitedTo(1, storage), tiny('a', spec));
    expect(nodesOf(full)).toBe(1);

    const next = provision(full.after, tiny('b', spec));
    expect(next.pending).toEqual([]);
    expect(nodesOf(next)).toBe(2);
  });

  it.each<[string, Partial<Storage>]>([
    [
      'class',
      {
        claims: ['a', 'b'].map((name) => aVolumeClaim({ name })),
        classes: [
          readStorageClass(
            {
              metadata: { name: 'gp3' },
              provisioner: 'kubernetes.io/aws-ebs',
              volumeBindingMode: 'WaitForFirstConsumer',
            },
            0,
          ),
        ],
      },
    ],
    [
      'volume',
      {
        claims: ['a', 'b'].map((name) => aBoundClaim(name, `pv-${name}`)),
        volumes: ['pv-a', 'pv-b'].map((name) =>
          readVolume({ metadata: { name }, spec: { awsElasticBlockStore: { volumeID: name } } }),
        ),
      },
    ],
  ])('count an in-tree %s for the driver that replaced it', (_, storage) => {
    const pods = ['a', 'b'].map((name) => tiny(name, using(name)));
    expect(nodesOf(provision(limitedTo(1, storage), ...pods))).toBe(2);
  });

  it('explain that a pod has more volumes than any node attaches', () => {
    const claims = ['a', 'b', 'c'].map((name) => aVolumeClaim({ name }));
    const storage = limitedTo(2, { claims, classes: [aStorageClass()] });
    expect(sentence(provision(storage, tiny('p', using('a', 'b', 'c'))))).toBe(
      'needs 3 volumes of ebs.csi.aws.com; largest type big has 2',
    );
  });
});

it("restrict a pod to its volume's zone without removing other zones from its spread", () => {
  const spread = { topologySpread: [spreadOver(ZONE, { minDomains: 3 })] };
  const storage = aStorage({
    classes: [aStorageClass()],
    claims: [aBoundClaim('data', 'pv-1')],
    volumes: [aVolume('pv-1', { nodeTerms: [inZones(Z1)] })],
  });
  const before = provision(aCluster({ storage }), ...createPods(3, 'first', spread)).after;
  const outcome = provision(before, tiny('a', { ...spread, ...using('data') }));

  expect(findZoneOfPod(outcome, 'a')).toBe(Z1);
  expect(countPodsPerDomain(outcome)).toEqual([1, 1, 2]);
});
