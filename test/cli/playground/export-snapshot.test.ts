import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { exportSnapshot } from '../../../cli/playground/playground-source.ts';
import { createSimulatedCluster } from '../../../cli/playground/simulated-cluster.ts';
import { isReplayedEqually } from '../../../cli/record/replay-decision.ts';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { readSnapshotFile } from '../../../shared/record/snapshot-file.ts';

const MANIFESTS = `
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
spec:
  amiSelectorTerms: [{ alias: al2023@latest }]
  role: node
  subnetSelectorTerms: [{ tags: { team: shop } }]
  securityGroupSelectorTerms: [{ tags: { team: shop } }]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements:
        - { key: karpenter.k8s.aws/instance-family, operator: In, values: [m7g] }
---
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop }
spec: { containers: [{ name: web, resources: { requests: { cpu: "1" } } }] }
`;

describe('the export of the playground', () => {
  it('is a snapshot file whose decisions are made again byte for byte', async () => {
    const reading = readManifests([{ file: 'shop.yaml', text: MANIFESTS }]);
    if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.problems));
    const world = createSimulatedCluster(reading.manifests, 1);
    await world.clock.runUntil(world.clock.now() + 2 * MINUTE_MS);

    const { name, bytes } = await exportSnapshot(world, 'playground');
    expect(name).toBe('playground-20260105T080200Z.snapshot.json.gz');
    const file = readSnapshotFile(JSON.parse(gunzipSync(bytes).toString('utf8')));
    expect(file.cluster).toBe('playground');
    expect(file.decisions.map(({ kind }) => kind)).toEqual(['provisioning', 'disruption']);
    expect(file.decisions.map(isReplayedEqually)).toEqual([true, true]);
    expect(file.decisions[0]?.input.snapshot.nodes).toHaveLength(1);
  });
});
