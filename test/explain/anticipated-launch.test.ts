import { describe, expect, it } from 'vitest';
import { createSimulatedCluster } from '../../cli/playground/simulated-cluster.ts';
import { readManifests } from '../../shared/api/manifests/read-manifests.ts';
import { formatEvent } from '../../shared/model/explanations/event-kinds.ts';
import type { PlannedClaim } from '../../shared/model/plans.ts';
import { CPU } from '../../shared/model/resources.ts';

const CPU_PER_POD = 800;
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
      requirements: [{ key: karpenter.sh/capacity-type, operator: In, values: [spot] }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 40
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, resources: { requests: { cpu: ${CPU_PER_POD}m, memory: 1Gi } } }]
`;

/** Scales a Deployment up, so that the first plan anticipates pods that do not exist yet. */
async function launchForAnticipatedPods() {
  const reading = readManifests([{ file: 'shop.yaml', text: MANIFESTS }]);
  if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.problems));
  const world = createSimulatedCluster(reading.manifests, 3);
  await world.clock.runUntil(world.clock.now() + 120_000);
  const planned = world
    .decisions()
    .flatMap((decision) => (decision.kind === 'provisioning' ? decision.plan.claims : []));
  const snapshot = await world.ports.cloud.catalogue((await world.ports.cluster.observe()).pools);
  return { world, planned, offerings: snapshot.offerings };
}

const countPods = ({ pods, anticipated = [] }: PlannedClaim): number => pods.length + anticipated.length;

describe('the text about a launch for pods of which some do not exist yet', () => {
  it('names as many pods as their stated requests add up to', async () => {
    const { world, planned } = await launchForAnticipatedPods();
    const launches = world.events().flatMap(({ event }) => (event.kind === 'launch' ? [event] : []));

    expect(planned.some(({ anticipated = [] }) => anticipated.length > 0)).toBe(true);
    expect(launches.length).toBeGreaterThan(0);
    for (const event of launches) {
      const pods = event.pods.length + (event.podsToCome ?? 0);
      expect(event.cpuMilli, formatEvent(event)).toBe(pods * CPU_PER_POD);
      expect(formatEvent(event)).toMatch(new RegExp(`^${pods} pods? `));
    }
    for (const one of planned) {
      expect(one.claim.requests[CPU]).toBe(countPods(one) * CPU_PER_POD);
    }
  });

  it('names the cheapest of the stated set of types', async () => {
    const { planned, offerings } = await launchForAnticipatedPods();
    for (const { claim, cheapest } of planned) {
      const types = new Set(claim.instanceTypes);
      const cheaper = offerings.filter(
        ({ instanceType, capacityType, zone, hourlyUsd }) =>
          types.has(instanceType) &&
          capacityType === cheapest.capacityType &&
          zone === cheapest.zone &&
          hourlyUsd < cheapest.hourlyUsd,
      );
      expect(cheaper).toEqual([]);
    }
  });
});
