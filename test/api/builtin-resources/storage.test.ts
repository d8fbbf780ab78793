import { describe, expect, it } from 'vitest';
import {
  csiNodeSchema,
  readNodeDrivers,
  readStorageClass,
  readVolume,
  readVolumeClaim,
  storageClassSchema,
  volumeClaimSchema,
  volumeSchema,
} from '../../../shared/api/builtin-resources/storage.ts';

const metadata = { name: 'data', namespace: 'shop' };
const claimOf = (written: object) => readVolumeClaim(volumeClaimSchema.parse(written));
const volumeOf = (spec: object) => readVolume(volumeSchema.parse({ metadata: { name: 'pv-1' }, spec }));
const classOf = (written: object) =>
  readStorageClass(storageClassSchema.parse({ metadata: { name: 'gp3' }, provisioner: 'p', ...written }), 1000);

describe('a PersistentVolumeClaim', () => {
  it('is bound when claim and volume refer to each other', () => {
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    const spec = { volumeName: 'pv-1', storageClassName: 'gp3' };
    expect(claimOf({ metadata: { ...metadata, annotations }, spec })).toEqual({
      namespace: 'shop',
      name: 'data',
      volume: 'pv-1',
      storageClass: 'gp3',
      bound: true,
      lost: false,
      deleting: false,
    });
    expect(claimOf({ metadata, spec }).bound).toBe(false);
  });

  it('may request no class or the default class', () => {
    expect(claimOf({ metadata, spec: { storageClassName: '' } }).storageClass).toBe('');
    expect(claimOf({ metadata }).storageClass).toBeUndefined();
  });

  it('may be lost or terminating', () => {
    expect(claimOf({ metadata, status: { phase: 'Lost' } }).lost).toBe(true);
    const deletionTimestamp = '2026-01-01T12:00:00Z';
    expect(claimOf({ metadata: { ...metadata, deletionTimestamp } }).deleting).toBe(true);
  });
});

describe('a PersistentVolume', () => {
  it.each<[string, object, object]>([
    ['CSI', { csi: { driver: 'efs.csi.aws.com' } }, { driver: 'efs.csi.aws.com', onHost: false }],
    ['in-tree EBS', { awsElasticBlockStore: {} }, { driver: 'ebs.csi.aws.com', onHost: false }],
    ['local', { local: { path: '/mnt' } }, { onHost: true }],
    ['hostPath', { hostPath: { path: '/mnt' } }, { onHost: true }],
    ['NFS', { nfs: { server: 's', path: '/' } }, { onHost: false }],
  ])('is read for kind %s', (_, spec, expected) => {
    expect(volumeOf(spec)).toEqual({ name: 'pv-1', nodeTerms: [], deleting: false, ...expected });
  });

  it('names the nodes that reach it', () => {
    const zone = { key: 'topology.ebs.csi.aws.com/zone', operator: 'In', values: ['us-east-1a'] };
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [zone] }] } };
    expect(volumeOf({ nodeAffinity }).nodeTerms).toEqual([[zone]]);
  });
});

describe('a StorageClass', () => {
  it('creates volumes at once by default', () => {
    expect(classOf({}).waitsForPod).toBe(false);
    expect(classOf({ volumeBindingMode: 'WaitForFirstConsumer' }).waitsForPod).toBe(true);
  });

  it('is the default by annotation, and has the driver that replaced its plugin', () => {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const made = classOf({
      metadata: { name: 'gp2', annotations },
      provisioner: 'kubernetes.io/aws-ebs',
    });
    expect(made).toEqual({
      name: 'gp2',
      driver: 'ebs.csi.aws.com',
      waitsForPod: false,
      nodeTerms: [],
      isDefault: true,
      createdAt: 1000,
    });
  });

  it('may be limited to zones', () => {
    const matchLabelExpressions = [{ key: 'topology.kubernetes.io/zone', values: ['a', 'b'] }];
    expect(classOf({ allowedTopologies: [{ matchLabelExpressions }] }).nodeTerms).toEqual([
      [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a', 'b'] }],
    ]);
  });
});

it('is accompanied by a CSINode with the limits of its drivers', () => {
  const drivers = [
    { name: 'ebs.csi.aws.com', allocatable: { count: 26 } },
    { name: 'efs.csi.aws.com', allocatable: null },
  ];
  const read = readNodeDrivers(csiNodeSchema.parse({ metadata: { name: 'n' }, spec: { drivers } }));
  expect(read).toEqual({ name: 'n', attachLimits: { 'ebs.csi.aws.com': 26 } });
});
