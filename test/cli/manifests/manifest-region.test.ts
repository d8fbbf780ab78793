import { describe, expect, it } from 'vitest';
import { toSimulatedRegion } from '../../../cli/catalogue/choose-region.ts';
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
    ['the bundled one, when what is named is no zone', inZones('unknown'), 'us-east-1'],
  ] as const)('is %s', ([, pool, region]) => {
    expect(toSimulatedRegion(manifests(pool)).catalogue.region).toBe(region);
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
    expect(toSimulatedRegion(manifestsIn(text)).catalogue.region).toBe(region);
  });

  it.each([
    ['labels', 'labels: {topology.kubernetes.io/zone: eu-west-2b}', ''],
    ['provider id', 'labels: {a: b}', ', spec: {providerID: aws:///eu-west-2b/i-0123456789abcdef0}'],
  ])('is that of a Node of the files, by its %s', (_, labels, spec) => {
    const text = `{apiVersion: v1, kind: Node, metadata: {name: a, ${labels}}${spec}}`;

    expect(toSimulatedRegion(manifestsIn(text)).catalogue.region).toBe('eu-west-2');
  });

  it('has the first three zones and the named ones', () => {
    expect(toSimulatedRegion(manifests(inZones('us-west-2d'))).zones).toEqual([
      'us-west-2a',
      'us-west-2b',
      'us-west-2c',
      'us-west-2d',
    ]);
  });

  it('leads to a warning if it is not priced', () => {
    expect(toSimulatedRegion(manifests(inZones('us-west-2a'))).warnings).toEqual([
      expect.stringContaining('not priced: no prices of us-west-2 are bundled'),
    ]);
    expect(toSimulatedRegion(manifests(aNodePool())).warnings).toEqual([]);
  });

  it.each(['us-gov-west-1a', 'cn-north-1b', 'ap-southeast-7a'])(
    'is refused if its types and zones are not bundled: %s',
    (zone) => {
      const region = zone.slice(0, -1);
      expect(() => toSimulatedRegion(manifests(inZones(zone)))).toThrow(
        `no zones and instance types of ${region} are bundled`,
      );
    },
  );

  it('is contradicted by objects in other regions, and by zones that it does not have', () => {
    const text = `{apiVersion: v1, kind: Node, metadata: {name: a, labels: {topology.kubernetes.io/zone: eu-west-2b}}}`;
    const all = { ...manifests(inZones('eu-north-1f')), skipped: manifestsIn(text).skipped };

    expect(toSimulatedRegion(all).warnings).toEqual([
      'Node a: eu-west-2b is not in eu-north-1, which is simulated',
      'NodePool general: eu-north-1f is no zone of eu-north-1, which has eu-north-1a, eu-north-1b, eu-north-1c',
      expect.stringContaining('not priced'),
    ]);
  });

  it('has types and offerings in its own zones', async () => {
    const pool = inZones('us-west-2a');
    const { cloud } = createSimulatedCluster(manifests(pool), 1).ports;
    const { offerings, instanceTypes } = await cloud.catalogue([pool]);

    expect(offerings.length).toBeGreaterThan(1000);
    expect(offerings.every(({ zone }) => zone.startsWith('us-west-2'))).toBe(true);
    const regions = instanceTypes[pool.name]?.map(({ labels }) => labels['topology.kubernetes.io/region']);
    expect(new Set(regions)).toEqual(new Set(['us-west-2']));
  });
});
