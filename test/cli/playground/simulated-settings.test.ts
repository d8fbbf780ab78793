import { describe, expect, it } from 'vitest';
import { simulationSchema } from '../../../cli/documents/simulation.ts';
import { documentOf, mortise } from '../call.ts';
import { aPod, NODES } from '../manifests.ts';

const argv = ['simulate', '-f', '.', '--for', '5m', '-o', 'json'];
const POD = aPod('api', '{cpu: "1", memory: 2Gi}');

/** Ten times the price of the cheapest type. */
const OVERLAY = `---
apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata: {name: scarce}
spec:
  requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m7g.large]}]
  priceAdjustment: "+900%"
`;

const DEPLOYMENT = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: web, resources: {requests: {cpu: 100m}}}]
`;

async function nodesWith(manifests: string, env: Readonly<Record<string, string>> = {}) {
  const outcome = await mortise(argv, { env, files: { 'a.yaml': manifests } });
  return simulationSchema.parse(documentOf(outcome).result).nodes;
}

describe('a simulation with settings from the environment', () => {
  it('uses NodeOverlays if their gate is on', async () => {
    const typeWith = async (gates: string) =>
      (await nodesWith(NODES + POD + OVERLAY, { FEATURE_GATES: gates }))[0]?.type;

    expect(await typeWith('')).toBe('m7g.large');
    expect(await typeWith('NodeOverlay=true')).toBe('m7g.2xlarge');
  });

  it('provides the capacity of CapacityBuffers if their gate is on', async () => {
    const buffer = (over: string) => `---
apiVersion: autoscaling.x-k8s.io/v1beta1
kind: CapacityBuffer
metadata: {name: headroom}
spec: {scalableRef: {kind: Deployment, name: web}, ${over}}
`;
    const hourlyUsdWith = async (more: string, gates: string) =>
      (await nodesWith(NODES + DEPLOYMENT + more, { FEATURE_GATES: gates })).reduce(
        (sum, { hourlyUsd = 0, removedAtMs }) => sum + (removedAtMs === undefined ? hourlyUsd : 0),
        0,
      );
    const without = await hourlyUsdWith('', 'CapacityBuffer=true');

    expect(await hourlyUsdWith(buffer('replicas: 40'), '')).toBe(without);
    expect(await hourlyUsdWith(buffer('replicas: 40'), 'CapacityBuffer=true')).toBeGreaterThan(without);
    expect(await hourlyUsdWith(buffer('percentage: 100'), 'CapacityBuffer=true')).toBe(without);
  });

  it("uses kube-scheduler's default topology spread", async () => {
    const spread = JSON.stringify({
      podTopologySpread: {
        defaultConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'DoNotSchedule',
          },
        ],
      },
    });

    expect(await nodesWith(NODES + DEPLOYMENT)).toHaveLength(1);
    expect(await nodesWith(NODES + DEPLOYMENT, { SCHEDULER_CONFIG: spread })).toHaveLength(3);
  });

  it('launches first what commitments pay for, and does not count it as cost', async () => {
    const resultWith = async (env: Readonly<Record<string, string>>) => {
      const outcome = await mortise(argv, { env, files: { 'a.yaml': NODES + DEPLOYMENT } });
      return simulationSchema.parse(documentOf(outcome).result);
    };
    const committed = 'reservedInstances: [{instanceType: m7g.2xlarge, count: 1}]';
    const [without, paid] = [await resultWith({}), await resultWith({ COMMITTED_CAPACITY: committed })];

    expect(without).not.toHaveProperty('coveredUsd');
    expect(paid.nodes.map(({ capacityType }) => capacityType)).toEqual(['on-demand']);
    expect(paid.coveredUsd).toBeGreaterThan(0);
    const { costUsd: paidUsd = 0 } = paid;
    expect(paidUsd).toBeLessThan(without.costUsd ?? 0);
    expect(paid.boundUsd).toBeLessThanOrEqual(paidUsd + 1e-6);
  });

  it('refuses wrong settings', async () => {
    const call = { env: { PREFERENCE_POLICY: 'Maybe' }, files: { 'a.yaml': NODES + POD } };
    const { code, stderr } = await mortise(argv, call);

    expect(code).toBe(2);
    expect(stderr).toContain('PREFERENCE_POLICY cannot be read');
  });

  it('reports the launches that a cap of the cluster held back', async () => {
    const [first, second] = [aPod('api', '{cpu: "7", memory: 2Gi}'), aPod('db', '{cpu: "7", memory: 2Gi}')];
    const resultWith = async (env: Readonly<Record<string, string>>) => {
      const outcome = await mortise(argv, { env, files: { 'a.yaml': NODES + first + second } });
      return simulationSchema.parse(documentOf(outcome).result);
    };

    expect(await resultWith({})).not.toHaveProperty('capped');
    const { nodes, capped } = await resultWith({ MAX_NODES: '1' });
    expect(nodes).toHaveLength(1);
    expect(capped?.nodes).toBe(1);
    expect(capped?.text).toContain('(maxNodes)');
  });

  it('refuses a cap that is not a whole number', async () => {
    const outcome = await mortise(argv, { env: { MAX_NODES: 'many' }, files: { 'a.yaml': NODES } });

    expect(outcome.stderr).toContain('MAX_NODES');
    expect(outcome.code).not.toBe(0);
  });
});
