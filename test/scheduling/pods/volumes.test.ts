import { describe, expect, it } from 'vitest';
import type { Reason } from '../../../shared/model/explanations/reasons.ts';
import { formatReason } from '../../../shared/model/explanations/reasons.ts';
import type { Pod, PodSpec } from '../../../shared/model/pods/pod.ts';
import type { Storage, VolumeClaim } from '../../../shared/model/pods/storage.ts';
import { aBoundClaim, aStorage, aStorageClass, aVolume, aVolumeClaim, inZones } from '../../support/storage.ts';
import {
  aCluster,
  affinityTo,
  HOSTNAME,
  need,
  requesting,
  requiringNode,
  tiny,
  Z1,
  Z2,
  Z3,
  ZONE,
} from '../support/fixture.ts';
import { findZoneOfPod, type ProvisionOutcome, provision } from '../support/provision.ts';

const using = (...volumeClaims: string[]): Partial<PodSpec> => ({ volumeClaims });

/** One loop over pods in a cluster with this storage. */
const withStorage = (storage: Partial<Storage>, ...pods: readonly Pod[]): ProvisionOutcome =>
  provision(aCluster({ storage: aStorage(storage) }), ...pods);

/** The reason of the first unplaced pod. */
const whyNot = ({ plan }: ProvisionOutcome): Reason | undefined => plan.unplaced[0]?.pools[0]?.reasons[0];
const sentence = (outcome: ProvisionOutcome): string => {
  const reason = whyNot(outcome);
  return reason ? formatReason(reason) : 'placed';
};

describe('a pod with a volume', () => {
  const classes = [aStorageClass()];
  const volumes = [aVolume('pv-1')];

  it.each<[title: string, storage: Partial<Storage>, sentence: string]>([
    ['the claim is missing', {}, 'PVC default/data: not found'],
    ['the class is missing', { claims: [aVolumeClaim()] }, 'PVC default/data: StorageClass gp3 not found'],
    [
      'the volume is missing',
      { classes, claims: [aBoundClaim('data', 'pv-9')] },
      'PVC default/data: PersistentVolume pv-9 not found',
    ],
    [
      'an unbound claim wants no class',
      { classes, claims: [aVolumeClaim({ storageClass: '' })] },
      'PVC default/data: not bound, and wants no StorageClass',
    ],
    [
      'the driver serves other nodes',
      {
        claims: [aVolumeClaim()],
        classes: [aStorageClass({ driver: 'ebs.csi.eks.amazonaws.com' })],
      },
      'PVC default/data: driver ebs.csi.eks.amazonaws.com serves other nodes than ours',
    ],
    [
      'the driver of the bound volume serves other nodes',
      {
        claims: [aBoundClaim('data', 'pv-1')],
        volumes: [aVolume('pv-1', { driver: 'ebs.csi.eks.amazonaws.com' })],
      },
      'PVC default/data: driver ebs.csi.eks.amazonaws.com serves other nodes than ours',
    ],
    [
      'the class asks for a label that our nodes never have',
      {
        claims: [aVolumeClaim()],
        classes: [
          aStorageClass({
            nodeTerms: [[need('topology.ebs.csi.eks.amazonaws.com/zone', 'In', Z1)]],
          }),
        ],
      },
      'PVC default/data: StorageClass gp3 asks for topology.ebs.csi.eks.amazonaws.com/zone: not our nodes',
    ],
    [
      'the class binds at once, and has not yet',
      { claims: [aVolumeClaim()], classes: [aStorageClass({ waitsForPod: false })] },
      'PVC default/data: not bound yet, as StorageClass gp3 does at once',
    ],
    [
      'the claim is being deleted',
      { classes, claims: [aVolumeClaim({ deleting: true })] },
      'PVC default/data: is being deleted',
    ],
    [
      'the volume is being deleted',
      {
        claims: [aBoundClaim('data', 'pv-1')],
        volumes: [aVolume('pv-1', { deleting: true })],
      },
      'PVC default/data: volume pv-1 is being deleted',
    ],
    [
      'the volume was lost',
      { volumes, claims: [aBoundClaim('data', 'pv-1', { lost: true })] },
      'PVC default/data: Lost: its volume is gone',
    ],
    [
      'claim and volume have not both agreed',
      { volumes, claims: [aVolumeClaim({ volume: 'pv-1' })] },
      'PVC default/data: is being bound to pv-1',
    ],
  ])('waits because %s', (_, storage, expected) => {
    const outcome = withStorage(storage, tiny('a', using('data')), tiny('b'));

    expect(outcome.pending).toEqual(['a']);
    expect(sentence(outcome)).toBe(expected);
  });

  it.each<[string, Partial<VolumeClaim>]>([
    ['no class', { storageClass: '' }],
    ['a class that is gone', { storageClass: 'old' }],
    ['binding is complete', {}],
  ])('needs only a bound claim: %s', (_, over) => {
    const claims = [aBoundClaim('data', 'pv-1', over)];
    expect(withStorage({ claims, volumes }, tiny('a', using('data'))).pending).toEqual([]);
  });
});

describe('volume locations', () => {
  const zoned = aStorageClass({ nodeTerms: [inZones(Z2, Z3)] });

  it.each<[string, Partial<PodSpec>]>([
    ['a claim that is not bound', using('data')],
    ['an ephemeral volume', { ephemeralVolumes: [{ name: 'scratch', storageClass: 'gp3' }] }],
  ])('restrict the pod of %s to the zones of its class', (_, spec) => {
    const storage = { claims: [aVolumeClaim()], classes: [zoned] };
    const pod = tiny('a', { ...spec, ...requiringNode(need(ZONE, 'In', Z1, Z3)) });
    expect(findZoneOfPod(withStorage(storage, pod), 'a')).toBe(Z3);

    const unknown = [aStorageClass({ nodeTerms: [inZones('unknown')] })];
    expect(withStorage({ ...storage, classes: unknown }, tiny('b', spec)).pending).toEqual(['b']);
  });

  it('restrict a pod to the zone of its volume, and explain a conflict', () => {
    const storage = {
      claims: [aBoundClaim('data', 'pv-1')],
      volumes: [aVolume('pv-1', { nodeTerms: [inZones(Z3)] })],
    };
    expect(findZoneOfPod(withStorage(storage, tiny('a', using('data'))), 'a')).toBe(Z3);

    const elsewhere = tiny('b', { ...using('data'), ...requiringNode(need(ZONE, 'In', Z1)) });
    expect(sentence(withStorage(storage, elsewhere))).toBe(
      `PVC default/data needs a node with ${ZONE} In [${Z3}], the pod one with In [${Z1}]`,
    );
  });

  it('ignore the host of a local volume, but not of a CSI volume', () => {
    const storage = (onHost: boolean) => ({
      claims: [aBoundClaim('data', 'pv-1')],
      volumes: [aVolume('pv-1', { onHost, nodeTerms: [[need(HOSTNAME, 'In', 'old-node')]] })],
    });
    const pod = tiny('a', using('data'));

    expect(withStorage(storage(true), pod).pending).toEqual([]);
    expect(withStorage(storage(false), pod).pending).toEqual(['a']);
  });

  it("exclude every required term but the one with the volume's zone", () => {
    const storage = {
      claims: [aBoundClaim('data', 'pv-1')],
      volumes: [aVolume('pv-1', { nodeTerms: [inZones(Z3)] })],
    };
    const terms = [Z1, Z2, Z3].map((zone) => inZones(zone));
    const choosy = tiny('a', { ...using('data'), requiredNodeTerms: terms });
    const wrong = tiny('b', { ...using('data'), requiredNodeTerms: terms.slice(0, 2) });

    expect(findZoneOfPod(withStorage(storage, choosy), 'a')).toBe(Z3);
    expect(withStorage(storage, wrong).pending).toEqual(['b']);
  });

  it.each<[string, Partial<Storage>]>([
    [
      'volumes that two zones reach',
      {
        claims: [aBoundClaim('a', 'pv-a'), aBoundClaim('b', 'pv-b')],
        volumes: ['pv-a', 'pv-b'].map((name) => aVolume(name, { nodeTerms: [inZones(Z1), inZones(Z2)] })),
      },
    ],
    [
      'a class with two topologies',
      {
        claims: ['a', 'b'].map((name) => aVolumeClaim({ name })),
        classes: [aStorageClass({ nodeTerms: [inZones(Z1), inZones(Z2)] })],
      },
    ],
  ])('let pods with anti-affinity use both zones of %s', (_, storage) => {
    const apart = { podAntiAffinity: [affinityTo('web', ZONE)] };
    const pods = ['a', 'b'].map((name) => tiny(name, { ...using(name), ...apart }, { app: 'web' }));

    const outcome = withStorage(storage, ...pods);

    expect(new Set(['a', 'b'].map((name) => findZoneOfPod(outcome, name)))).toEqual(new Set([Z1, Z2]));
  });

  it('restrict a pod to the zones that reach both volumes', () => {
    const storage = {
      claims: [aBoundClaim('a', 'pv-a'), aBoundClaim('b', 'pv-b')],
      volumes: [
        aVolume('pv-a', { nodeTerms: [inZones(Z1), inZones(Z2)] }),
        aVolume('pv-b', { nodeTerms: [inZones(Z3), inZones(Z1)] }),
      ],
    };
    expect(findZoneOfPod(withStorage(storage, tiny('p', using('a', 'b'))), 'p')).toBe(Z1);
  });

  it('name two volumes that no zone reaches', () => {
    const storage = {
      claims: [aBoundClaim('a', 'pv-a'), aBoundClaim('b', 'pv-b')],
      volumes: [aVolume('pv-a', { nodeTerms: [inZones(Z1)] }), aVolume('pv-b', { nodeTerms: [inZones(Z2)] })],
    };
    expect(sentence(withStorage(storage, tiny('p', using('a', 'b'))))).toBe(
      `PVC default/b needs a node with ${ZONE} In [${Z2}], default/a one with In [${Z1}]`,
    );
  });

  it('leave the pod free if a term has only the host of a local volume', () => {
    const storage = {
      claims: [aBoundClaim('data', 'pv-1')],
      volumes: [
        aVolume('pv-1', {
          onHost: true,
          nodeTerms: [[need(HOSTNAME, 'In', 'old-node')], inZones('unknown')],
        }),
      ],
    };
    expect(withStorage(storage, tiny('a', using('data'))).pending).toEqual([]);
  });

  it('are all that distinguishes the pods of one StatefulSet', () => {
    const zones = Array.from({ length: 30 }, (_, index) => [Z1, Z2, Z3][index % 3] ?? Z1);
    const storage = {
      claims: zones.map((_, index) => aBoundClaim(`data-${index}`, `pv-${index}`)),
      volumes: zones.map((zone, index) => aVolume(`pv-${index}`, { nodeTerms: [inZones(zone)] })),
    };
    const pods = zones.map((_, index) => tiny(`db-${index}`, { ...using(`data-${index}`), requests: requesting(1) }));
    const outcome = withStorage(storage, ...pods);
    expect(zones.map((_, index) => findZoneOfPod(outcome, `db-${index}`))).toEqual(zones);
  });
});
