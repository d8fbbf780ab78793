import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { PriceRecord } from '../../../shared/aws/ec2/prices/price-record.ts';
import { BUNDLED_REGIONS, findRegionOfferings } from '../../../shared/ec2/catalogue/region-offerings.ts';
import { findRegionOfZone } from '../../../shared/ec2/regions.ts';
import { NOON } from '../../support/builders.ts';
import { both, deployment } from '../bad-input/inputs.ts';
import { documentOf, mortise } from '../call.ts';

const podIn = (zone: string): string => `---
apiVersion: v1
kind: Pod
metadata: {name: here}
spec:
  nodeSelector: {topology.kubernetes.io/zone: ${zone}}
  containers: [{name: main, image: a, resources: {requests: {cpu: "1"}}}]
`;

/** A pod with a volume whose zone its PersistentVolume names. */
const withVolumeIn = (zone: string): string => `---
apiVersion: v1
kind: PersistentVolume
metadata: {name: data}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: gp3
  claimRef: {namespace: default, name: data}
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1}
  nodeAffinity:
    required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [${zone}]}]}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: gp3
  volumeName: data
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: here}
spec:
  containers: [{name: main, image: a, resources: {requests: {cpu: "1"}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`;

const RECORD: PriceRecord = {
  at: NOON,
  region: 'us-gov-west-1',
  zoneIds: { 'us-gov-west-1a': 'usgw1-az1' },
  zones: { 'm6i.large': ['us-gov-west-1a'], 'm6i.4xlarge': ['us-gov-west-1a'] },
  newer: [],
  onDemandUsd: {},
  spotUsd: { 'us-gov-west-1a': { 'm6i.large': 0.05 } },
};
const fileOf = (over: Partial<PriceRecord> = {}): string => JSON.stringify({ ...RECORD, ...over });

const simulateIn = (manifests: string, files: Record<string, string | Uint8Array>, ...flags: string[]) =>
  mortise(['simulate', '-f', 'a.yaml', '--for', '10m', '-o', 'json', ...flags], {
    files: { ...files, 'a.yaml': manifests },
  });

describe('the bundled offerings', () => {
  it.each(BUNDLED_REGIONS)('of %s name zones of the region only', (region) => {
    const { zones = [], zoneIds } = findRegionOfferings(region) ?? {};

    expect(zones.length).toBeGreaterThanOrEqual(2);
    expect(zones.map(findRegionOfZone)).toEqual(zones.map(() => region));
    expect(Object.keys(zoneIds ?? {})).toEqual(zones);
  });

  it('differ from region to region', () => {
    const zonesIn = (region: string, type: string) => findRegionOfferings(region)?.zonesOf(type);

    expect(zonesIn('eu-north-1', 'p4d.24xlarge')).toEqual(['eu-north-1c']);
    expect(zonesIn('ap-southeast-2', 'm7i.large')).toHaveLength(3);
    expect(zonesIn('ap-northeast-1', 'm5.large')).toEqual(['ap-northeast-1a', 'ap-northeast-1c', 'ap-northeast-1d']);
    expect(zonesIn('me-south-1', 'p5.48xlarge')).toEqual([]);
    expect(zonesIn('eu-north-1', 'no.such')).toEqual([]);
    expect(findRegionOfferings('us-gov-west-1')).toBeUndefined();
  });
});

describe('a simulation in another region', () => {
  it.each(['eu-north-1', 'ap-southeast-2'])('has the zones and types of %s, and no price', async (region) => {
    const outcome = await simulateIn(both() + deployment(), {}, '--region', region);

    const { result } = documentOf(outcome);
    expect(result).toMatchObject({ pods: { ran: 1, unplaced: [] } });
    expect(result).not.toHaveProperty('costUsd');
    const [node] = result.nodes as { zone: string; type: string; hourlyUsd?: number }[];
    expect(node?.hourlyUsd).toBeUndefined();
    expect(findRegionOfferings(region)?.zonesOf(node?.type ?? '')).toContain(node?.zone);
    expect(outcome.stdout).toContain(`not priced: no prices of ${region} are bundled`);
    expect(outcome.stdout).toContain('consolidation removes nodes but never replaces one');
  });

  it.each(['us-gov-west-1', 'cn-north-1', 'ap-southeast-7'])(
    'is refused without data of %s, with the command that reads it',
    async (region) => {
      const { code, stdout, stderr } = await mortise(['simulate', '-f', 'a.yaml', '--region', region], {
        files: { 'a.yaml': both() + deployment() },
      });

      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`no zones and instance types of ${region} are bundled`);
      expect(stderr).toContain(`mortise catalogue --region ${region} --profile PROFILE`);
      expect(stderr).toContain(`--catalogue ${region}.json`);
    },
  );

  it.each([
    ['a pod', podIn('eu-north-1a')],
    ['a volume', withVolumeIn('eu-north-1a')],
  ])('is in the zone that %s names', async (_, manifests) => {
    const { result } = documentOf(await simulateIn(both() + manifests, {}));

    expect(result).toMatchObject({ pods: { unplaced: [] }, nodes: [{ zone: 'eu-north-1a' }] });
  });

  it('is told of objects that are elsewhere', async () => {
    const outcome = await simulateIn(both() + podIn('eu-north-1a'), {}, '--region', 'eu-west-1');

    expect(outcome.stdout).toContain('Pod here: eu-north-1a is not in eu-west-1, which is simulated');
  });

  it('never replaces a node without prices, and removes what is not needed', async () => {
    const shrinking = deployment('"3"').replace('replicas: 1', 'replicas: 4');
    const { result } = documentOf(await simulateIn(both() + shrinking, {}, '--region', 'eu-north-1', '--for', '3h'));

    expect(result).toMatchObject({ pods: { ran: 4, unplaced: [] }, moves: { consolidations: 0 } });
  });
});

describe('a catalogue file', () => {
  const gov = podIn('us-gov-west-1a');

  it.each([
    ['a file of the command', fileOf()],
    ['the packed record of a stack, without its region', gzipSync(JSON.stringify({ ...RECORD, region: undefined }))],
  ])('may be %s', async (_, file) => {
    const { result } = documentOf(await simulateIn(both() + gov, { 'gov.json': file }, '--catalogue', 'gov.json'));

    expect(result).toMatchObject({
      pods: { unplaced: [] },
      nodes: [{ type: 'm6i.large', zone: 'us-gov-west-1a' }],
    });
    expect(result).not.toHaveProperty('costUsd');
  });

  it('brings its prices', async () => {
    const file = fileOf({ onDemandUsd: { 'm6i.large': 0.1208, 'm6i.4xlarge': 0.96 } });
    const { result } = documentOf(await simulateIn(both() + gov, { 'gov.json': file }, '--catalogue', 'gov.json'));

    expect(result).toMatchObject({
      nodes: [{ type: 'm6i.large', capacityType: 'spot', hourlyUsd: 0.05 }],
    });
  });

  it('is refused for another region', async () => {
    const { code, stderr } = await simulateIn(
      both() + gov,
      { 'gov.json': fileOf() },
      ...['--catalogue', 'gov.json', '--region', 'us-gov-east-1'],
    );

    expect(code).toBe(2);
    expect(stderr).toContain('gov.json is of us-gov-west-1, not of us-gov-east-1');
  });

  it('tells instance-types what a region offers, priced or not', async () => {
    const call = { files: { 'gov.json': fileOf() } };
    const argv = ['instance-types', '--catalogue', 'gov.json', '-o', 'json'];

    const { result } = documentOf(await mortise(argv, call));

    expect(result).toMatchObject({ region: 'us-gov-west-1', matching: 2 });
    expect(result).not.toHaveProperty('onDemandPricesOf');
    expect(result.types).toMatchObject([
      { name: 'm6i.large', spotFrom: { zone: 'us-gov-west-1a', hourlyUsd: 0.05 } },
      { name: 'm6i.4xlarge' },
    ]);
    expect(JSON.stringify(result.types)).not.toContain('onDemandHourlyUsd');
  });

  it('says that prices are in another currency', async () => {
    const file = fileOf({
      region: 'cn-north-1',
      zones: { 'm6i.large': ['cn-north-1a'] },
      onDemandUsd: { 'm6i.large': 0.8 },
    });

    const { stderr } = await mortise(['instance-types', '--catalogue', 'cn.json'], {
      files: { 'cn.json': file },
    });

    expect(stderr).toContain('prices of cn-north-1 are in CNY, although they are shown with $');
  });
});

describe('the types and zones that validate knows', () => {
  const poolIn = (zone: string, family: string): string =>
    both(
      '',
      `[{key: topology.kubernetes.io/zone, operator: In, values: [${zone}]}, {key: karpenter.k8s.aws/instance-family, operator: In, values: [${family}]}]`,
    );
  const validate = (manifests: string, ...flags: string[]) =>
    mortise(['validate', '-f', 'a.yaml', ...flags], { files: { 'a.yaml': manifests } });

  it('are those of all regions without a flag', async () => {
    expect(await validate(poolIn('eu-north-1a', 'p4d'))).toMatchObject({ code: 0 });
  });

  it('are those of the region with a flag: a warning names a pool that it offers nothing', async () => {
    const outcome = await validate(poolIn('eu-north-1a', 'p4d'), '--region', 'eu-north-1');

    expect(outcome.stdout + outcome.stderr).toContain('the pool launches nothing');
    const { stdout } = await validate(poolIn('eu-north-1c', 'p4d'), '--region', 'eu-north-1');
    expect(stdout).not.toContain('the pool launches nothing');
  });

  it('do not include zones of other regions', async () => {
    const { stdout, stderr } = await validate(poolIn('us-east-1a', 'm5'), '--region', 'eu-north-1');

    expect(stdout + stderr).toContain('us-east-1a');
    expect(stdout + stderr).toContain('eu-north-1a');
  });
});
