import { createPace } from '../../../cli/playground/pace.ts';
import { createPlaygroundSource } from '../../../cli/playground/playground-source.ts';
import { createSimulatedCluster } from '../../../cli/playground/simulated-cluster.ts';
import type { ConsoleServer } from '../../../console/server.ts';
import { startConsoleServer } from '../../../console/server.ts';
import type { Pace } from '../../../console/source.ts';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';
import type { SimWorld } from '../../../shared/simulation/world.ts';

export interface TestPlayground {
  readonly world: SimWorld;
  readonly pace: Pace;
  readonly server: ConsoleServer;
  /** The seeds that pages asked to start anew with. */
  readonly resets: readonly (number | undefined)[];
  /** Advances the cluster's time; it stands still between two calls. */
  pass(ms: number): Promise<void>;
}

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
        - { key: karpenter.sh/capacity-type, operator: In, values: [spot] }
        - { key: karpenter.k8s.aws/instance-family, operator: In, values: [m7g, c7g] }
        - { key: karpenter.k8s.aws/instance-size, operator: In, values: [xlarge, 2xlarge] }
  limits: { cpu: 64 }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 12
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, resources: { requests: { cpu: "1", memory: 2Gi } } }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: giant, namespace: ml }
spec:
  replicas: 1
  selector: { matchLabels: { app: giant } }
  template:
    metadata: { labels: { app: giant } }
    spec:
      containers: [{ name: giant, resources: { requests: { cpu: "40", memory: 400Gi } } }]
`;

/**
 * Starts a seeded playground with twelve pods on a few spot nodes and one pod that fits no
 * NodePool.
 */
export async function startTestPlayground(port = 0): Promise<TestPlayground> {
  const reading = readManifests([{ file: 'playground.yaml', text: MANIFESTS }]);
  if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.problems));

  const world = createSimulatedCluster(reading.manifests, 1);
  const resets: (number | undefined)[] = [];
  // Its loop does not run: time advances only through `pass`.
  const pace = createPace(10);
  pace.pause();
  const pass = (ms: number) => world.clock.runUntil(world.clock.now() + ms);
  await pass(180_000);
  const source = createPlaygroundSource({
    world,
    pace,
    seed: 1,
    cluster: 'test',
    region: 'us-east-1',
    reset: (seed) => void resets.push(seed),
  });
  return { world, pace, pass, resets, server: await startConsoleServer({ source, port }) };
}
