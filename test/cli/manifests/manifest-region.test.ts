import { describe, expect, it } from 'vitest';
import { findManifestRegion, listRegionWarnings } from '../../../cli/manifests/manifest-region.ts';
import { createSimulatedCluster } from '../../../cli/playground/simulated-cluster.ts';
import type { ClusterManifests } from '../../../shared/api/manifests/cluster-manifests.ts';
import { ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { manifestsIn } from '../../api/support/read-text.ts';
import { aNodeClass, aNodePool } from '../../support/builders.ts';

const manifests = (...pools: NodePool[]): ClusterManifests => ({
  pools,
  nodeClasses: [aNodeClass()],
  workloads: [],
  pods: [],
  podDisruptionBudgets: [],
  skipped: [],
});
const inZones = (...values: string[]): NodePool =>
  aNodePool({ requirements: [{ key: ZONE_LABEL, operator: 'In', values }] });

describe('the region of a simulation', () => {
  it.for([
    ['that of the bundled catalogue, when nothing is said', aNodePool(), 'us-east-1'],
    ['that of the zones a NodePool names', inZones('eu-central-1b'), 'eu-central-1'],
    ['that of a GovCloud zone too', inZones('us-gov-west-1a'), 'us-gov-west-1'],
    ['the bundled one, when what is named is no zone', inZones('unknown'), 'us-east-1'],
  ] as const)('is %s', ([, pool, region]) => {
    expect(findManifestRegion(manifests(pool)).region).toBe(region);
  });

  it.each([
    [
      'a pod selects by label',
      '{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeSelector: {topology.kubernetes.io/zone: eu-north-1a}, containers: [{name: a, image: a}]}}',
      'eu-north-1',
    ],
    [
      'a Deployment requires by affinity',
      '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/region, operator: In, values: [ap-southeast-2]}]}]}}}, containers: [{name: a, image: a}]}}}}',
      'ap-southeast-2',
    ],
    [
      'a PersistentVolume is tied to',
      '{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [eu-west-1c]}]}]}}}}',
      'eu-west-1',
    ],
  ])('is that which %s', (_, text, region) => {
    expect(findManifestRegion(manifestsIn(text)).region).toBe(region);
  });

  it('has the zones a, b and c and the named ones', () => {
    expect(findManifestRegion(manifests(inZones('us-west-2d'))).zones).toEqual([
      'us-west-2a',
      'us-west-2b',
      'us-west-2c',
      'us-west-2d',
    ]);
  });

  it("leads to a warning if another region's prices stand in", () => {
    expect(listRegionWarnings(manifests(inZones('us-west-2a')))).toEqual([
      'instance types and prices are those of us-east-1: they stand in for us-west-2',
    ]);
    expect(listRegionWarnings(manifests(aNodePool()))).toEqual([]);
  });

  it('has types and offerings in its own zones', async () => {
    const pool = inZones('us-west-2a');
    const { cloud } = createSimulatedCluster(manifests(pool), 1).ports;
    const { offerings, instanceTypes } = await cloud.catalogue([pool]);

    expect(offerings.length).toBeGreaterThan(1000);
    expect(offerings.every(({ zone }) => zone.startsWith('us-west-2'))).toBe(true);
    const regions = instanceTypes[pool.name]?.map(
      ({ labels }) => labels['topology.kubernetes.io/region'],
    );
    expect(new Set(regions)).toEqual(new Set(['us-west-2']));
  });
});
