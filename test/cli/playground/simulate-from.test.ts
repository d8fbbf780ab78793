import { describe, expect, it } from 'vitest';
import { simulationSchema } from '../../../cli/documents/simulation.ts';
import { decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { writeSnapshotFile } from '../../../shared/record/snapshot-file.ts';
import {
  aDaemonSet,
  aLaunch,
  aNode,
  aNodePool,
  anInitializedClaim,
  aPodTemplate,
  aRunningPod,
  aSnapshot,
  NOON,
  resources,
} from '../../support/builders.ts';
import { documentOf, mortise } from '../call.ts';

const HOUR_BEFORE = NOON - HOUR_MS;
const template = aPodTemplate();
const owner = { kind: 'ReplicaSet', name: 'web-6c9d', uid: 'rs-web' };
const labels = { ...template.labels, 'pod-template-hash': '6c9d' };

/** A node that has run for an hour, with both pods of the Deployment `web`. */
const SHOP = aSnapshot({
  nodes: [aNode()],
  claims: [
    anInitializedClaim('node-1', {
      launch: aLaunch({ at: HOUR_BEFORE }),
      lastPodEventAt: HOUR_BEFORE,
    }),
  ],
  pools: [aNodePool({ disruption: { ...aNodePool().disruption, consolidateAfterMs: HOUR_MS * 9 } })],
  pods: ['web-6c9d-a', 'web-6c9d-b'].map((name) =>
    aRunningPod('node-1', {
      ...template,
      ...{ name, owner, labels },
      spec: { ...template.spec, requests: resources(0.5, 1, { pods: 1 }) },
      createdAt: HOUR_BEFORE,
      startedAt: HOUR_BEFORE,
    }),
  ),
});

const WEB = (replicas: number, name = 'web') => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: default}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: main, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}
`;

const OTHER_CLASS = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: gpu}
spec:
  amiSelectorTerms: [{alias: al2023@latest}]
  role: eks-node-shop
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]
`;

async function fileOf(...snapshots: readonly ClusterSnapshot[]): Promise<string> {
  const decisions = snapshots.map((snapshot): Decision => {
    const input = { kind: 'disruption', snapshot, running: [] } as const;
    const id = 'd-20260101T120000Z-4k7q';
    return { kind: 'disruption', id, at: NOON, input, plan: decideDisruption(input, id) };
  });
  return await writeSnapshotFile(decisions, { cluster: 'shop', release: '0.1.0', writtenAt: NOON });
}

async function simulate(snapshot: ClusterSnapshot, manifests = '') {
  const files = { 'shop.json': await fileOf(snapshot), 'more.yaml': manifests };
  const more = manifests === '' ? [] : ['-f', 'more.yaml'];
  const argv = ['simulate', '--from', 'shop.json', ...more, '--for', '10m', '-o', 'json'];
  const outcome = await mortise(argv, { files });
  const document = documentOf(outcome);
  return { document, result: simulationSchema.parse(document.result), stderr: outcome.stderr };
}

describe('mortise simulate --from', () => {
  it('continues with the nodes and pods of the snapshot, at its time', async () => {
    const { document, result } = await simulate(SHOP);

    expect(document).toMatchObject({
      source: { cluster: 'shop', file: 'shop.json', at: '2026-01-01T12:00:00Z' },
    });
    expect(result.pods).toEqual({ total: 2, ran: 2, unplaced: [] });
    expect(result.nodes).toMatchObject([{ claim: 'general-1', launchedAtMs: -HOUR_MS, hourlyUsd: 0.1008 }]);
    expect(result.nodes[0]?.pods).toEqual(['default/web-6c9d-a', 'default/web-6c9d-b']);
    expect(result.costUsd).toBeCloseTo(0.1008 / 6, 5);
  });

  it('launches nodes for the workloads of manifests', async () => {
    const { result } = await simulate(SHOP, WEB(3, 'api'));

    expect(result.pods).toMatchObject({ total: 5, ran: 5, unplaced: [] });
    expect(result.nodes.filter(({ launchedAtMs }) => launchedAtMs >= 0)).not.toEqual([]);
    expect(result.pods.waitMs?.p99).toBeLessThan(5 * 60_000);
  });

  it('scales a workload that both have, and keeps its pods', async () => {
    const { result } = await simulate(SHOP, WEB(3));

    expect(result.pods).toMatchObject({ total: 3, ran: 3 });
    expect(result.nodes.flatMap(({ pods }) => pods)).toContain('default/web-6c9d-a');
  });

  it('replaces the nodes of an EC2NodeClass of manifests, and says that it counts as changed', async () => {
    const nodeClass = OTHER_CLASS.split('---')[1]?.replace('name: gpu', 'name: default');
    const { document, result } = await simulate(SHOP, nodeClass);

    expect(result.moves.drifts).toBe(1);
    expect(document.warnings).toContain(
      'EC2NodeClass default: counts as changed, so its node drifts; types and zones stay as recorded',
    );
  });

  it('names objects of manifests that it does not use', async () => {
    const unused = 'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\n';
    const { document } = await simulate(SHOP, unused);

    expect(document.warnings).toContain('CronJob nightly: not simulated: its Jobs do not run');
  });

  it('keeps the pods of DaemonSets on their nodes', async () => {
    const agent = aDaemonSet({ name: 'agent' });
    const owner = { kind: 'DaemonSet', name: 'agent', uid: 'ds-agent' };
    const files = {
      'shop.json': await fileOf({
        ...SHOP,
        daemonSets: [agent],
        pods: [...SHOP.pods, aRunningPod('node-1', { name: 'agent-a', owner, ...agent.template })],
      }),
    };
    const argv = ['simulate', '--from', 'shop.json', '--for', '5m', '-o', 'json'];
    const outcome = await mortise(argv, { files });
    const result = simulationSchema.parse(documentOf(outcome).result);

    // A second pod on the node would request 100m more.
    expect(result.requested.cpu).toBeCloseTo(1.1 / 1.93, 2);
    expect(await mortise(argv, { files })).toEqual(outcome);
  });

  it('keeps nodes of a node group without counting their cost', async () => {
    const group = aNode({ name: 'group-1', labels: {}, providerId: 'aws:///us-east-1a/i-group' });
    const system = aRunningPod('group-1', { name: 'dns', namespace: 'kube-system' });
    const { document, result } = await simulate({
      ...SHOP,
      nodes: [...SHOP.nodes, group],
      pods: [...SHOP.pods, system],
    });

    expect(result.nodes).toHaveLength(1);
    expect(result.pods).toMatchObject({ total: 3, ran: 3 });
    expect(document.warnings).toEqual(['1 node belongs to no NodePool: it stays, and its cost is not counted']);
  });

  it('says where a cluster without changes begins', async () => {
    const { stdout } = await mortise(['simulate', '--from', 'shop.json', '--for', '1m'], {
      files: { 'shop.json': await fileOf(SHOP) },
    });

    expect(stdout).toContain('from 1 node: launched 0, removed 0, peak 1 node\n');
    expect(stdout).toMatch(/^prices .* in the snapshot; later spot prices are modelled$/m);
  });

  it.each<[string, number, string, Promise<string>, string?]>([
    ['decisions', 5, 'the file has no decisions', fileOf()],
    ['NodePools', 5, 'has no NodePool, so nothing', fileOf({ ...SHOP, pools: [] })],
    ['NodeClaims', 5, 'has no NodeClaim of node node-1', fileOf({ ...SHOP, claims: [] })],
    ['instance types of a NodeClass', 1, 'has no instance types for EC2NodeClass gpu', fileOf(SHOP), OTHER_CLASS],
  ])('refuses a snapshot without %s', async (_, exitCode, message, file, manifests = '') => {
    const more = manifests === '' ? [] : ['-f', 'more.yaml'];
    const { code, stderr } = await mortise(['simulate', '--from', 'shop.json', ...more], {
      files: { 'shop.json': await file, 'more.yaml': manifests },
    });

    expect(stderr).toContain(message);
    expect(code).toBe(exitCode);
  });
});
