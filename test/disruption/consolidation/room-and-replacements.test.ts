import { describe, expect, it } from 'vitest';
import { reconcileDisruption } from '../../../shared/controllers/disruption/reconcile.ts';
import { sweep } from '../../../shared/controllers/sweep.ts';
import { planDisruption } from '../../../shared/disruption/plan-disruption.ts';
import { ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Offering } from '../../../shared/model/offerings/instance-type.ts';
import type { PodSpec } from '../../../shared/model/pods/pod.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import { addRunning, aFakeWorld, takeHints } from '../../controllers/support/fake-ports.ts';
import {
  aLaunch,
  aNodeClaim,
  aNodePool,
  anOffering,
  aPodSpec,
  aPodTemplate,
  NOON,
  resources,
  ZONES,
} from '../../support/builders.ts';
import { aBoundClaim, aVolume } from '../../support/storage.ts';
import { aFleet, aWillingPool, decide, onDemand, priced, TYPES, web, willing } from '../fleet.ts';

describe('reserved room', () => {
  const settings = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, CapacityBuffer: true } };
  const aBuffer = (replicas: number, spec: Partial<PodSpec>) => ({
    namespace: 'default',
    name: 'spare',
    uid: 'spare',
    generation: 1,
    strategy: 'buffer.x-k8s.io/active-capacity',
    template: aPodTemplate({ spec: aPodSpec(spec) }),
    replicas,
  });

  it('keeps two of five empty nodes for a buffer and removes three', () => {
    const buffer = aBuffer(2, { requests: resources(1.5, 1, { pods: 1 }) });
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));
    const decision = decide(aFleet(nodes, { settings, buffers: [buffer] }));

    expect(decision.command?.reason).toBe('Empty');
    expect(decision.gone).toHaveLength(3);
  });

  it('is no pod of any command: replacements keep it as headroom', () => {
    const onePerNode = { hostPorts: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' as const }] };
    const buffer = aBuffer(3, { requests: resources(0.5, 1, { pods: 1 }), ...onePerNode });
    const nodes = ZONES.map((zone) => ({
      name: zone,
      zone,
      type: 'large',
      pods: [web(`p-${zone}`, 0.5, { nodeSelector: { [ZONE_LABEL]: zone } })],
    }));
    const fleet = aFleet(nodes, { settings, buffers: [buffer] });
    const { command, more = [] } = planDisruption(fleet, [], 'd-1');
    const replacements = [command, ...more].flatMap((one) => one?.replacements ?? []);

    expect(replacements.flatMap(({ pods }) => pods).toSorted()).toEqual(ZONES.map((zone) => `default/p-${zone}`));
    expect(replacements.map(({ headroom = [] }) => headroom.length)).toEqual([1, 1, 1]);
  });

  it("counts a node that EC2 interrupts against its pool's budget", () => {
    const pools = [willing({ budgets: [{ nodes: '1' }] })];
    const interrupted = { deletingAt: NOON, removal: 'Interrupted' } as const;
    const nodes = [{ name: 'a' }, { name: 'b', pods: [web('p')], claim: interrupted }];

    expect(decide(aFleet(nodes, { pools })).gone).toEqual([]);
  });
});

describe('possible replacements', () => {
  it('ignore the volume topology of a single host', () => {
    const nodeTerms = [[{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: ['a'] }]];
    const storage = {
      claims: [aBoundClaim('data', 'pv-1')],
      volumes: [aVolume('pv-1', { onHost: true, nodeTerms })],
      classes: [],
      drivers: [],
    };
    const pod = web('p', 0.5, { volumeClaims: ['data'] });
    const full = { name: 'full', type: 'large', pods: [web('heavy', 7)] };

    expect(decide(aFleet([{ name: 'a', pods: [pod] }, full], { storage })).gone).toEqual(['a']);
  });

  const reserved = (instanceType: string, id: string): Offering => ({
    ...priced(instanceType, 'reserved', 'us-east-1a', 0.000_001),
    reservation: { id, kind: 'default', isInterruptible: false, free: 1 },
  });

  it('include reserved capacity for an on-demand node', () => {
    const decision = decide(
      aFleet([{ name: 'a', pods: [web('p', 1.5)] }], {
        offerings: [...TYPES.flatMap((type) => onDemand(type)), reserved('small', 'cr-1')],
      }),
    );

    expect(decision.gone).toEqual(['a']);
    expect(decision.command?.replacements[0]?.cheapest.capacityType).toBe('reserved');
  });

  it('are compared with the price at launch if the reservation of a node is used up', () => {
    const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' };
    const launch = aLaunch({
      ...{ instanceType: 'large', capacityType: 'reserved', hourlyUsd: 0.000_004, labels },
      providerId: 'aws:///i-a',
    });
    const decision = decide(
      aFleet([{ name: 'a', type: 'large', pods: [web('p', 1.5)], claim: { launch } }], {
        offerings: [...TYPES.flatMap((type) => onDemand(type)), reserved('small', 'cr-2')],
        settings: { ...DEFAULT_SETTINGS, consolidationPaybackMs: 'Any' },
      }),
    );

    expect(decision.gone).toEqual(['a']);
    expect(decision.replacedBy).toEqual(['small']);
  });

  it('do not relax minValues, whatever the policy', () => {
    const settings = { ...DEFAULT_SETTINGS, minValuesPolicy: 'BestEffort' } as const;
    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 3 } as const];
    const pools = [aWillingPool({ requirements })];
    const nodes = [{ name: 'a', type: 'large', pods: [web('p')] }];

    expect(decide(aFleet(nodes, { pools })).gone).toEqual([]);
    expect(decide(aFleet(nodes, { pools, settings })).gone).toEqual([]);
  });
});

describe('a running command', () => {
  const replacement = (name: string) => ({
    claim: aNodeClaim({ name, decision: 'd-1' }),
    pods: [],
    cheapest: anOffering(),
  });
  const withCommand = async () => {
    const world = aFakeWorld({ pools: [aNodePool()] });
    await addRunning(world, 'a');
    await world.ports.commands.add({
      id: 'd-1',
      reason: 'Drifted',
      decidedAt: NOON,
      validatedAt: NOON,
      candidates: ['a'],
      replacements: [replacement('new'), replacement('newer')],
      placements: [],
      savingHourlyUsd: 0,
    });
    await reconcileDisruption(world.ports);
    return world;
  };

  it('counts a replacement that was ready before, although its Node is not Ready now', async () => {
    const world = await withCommand();
    for (const name of ['new', 'newer']) {
      const stored = await world.ports.nodeClaims.find(name);
      if (!stored) throw new Error('no claim');
      const claim = { ...stored.claim, initializedAt: world.now };
      await world.ports.nodeClaims.save(claim, stored.version);
    }
    world.objects = {
      ...world.objects,
      nodes: world.objects.nodes.map((node) => ({ ...node, ready: false })),
    };
    await reconcileDisruption(world.ports);

    expect((await world.ports.nodeClaims.find('a'))?.claim.removal).toBe('Drifted');
  });

  it('is resumed by the next sweep if its message is lost', async () => {
    const world = await withCommand();
    takeHints(world);
    await sweep(world.ports);

    expect(takeHints(world)).toContainEqual({ hint: { topic: 'disrupt' }, at: world.now });
  });
});
