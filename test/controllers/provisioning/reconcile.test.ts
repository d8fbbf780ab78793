import { describe, expect, it } from 'vitest';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { DEFAULT_PROVISIONING_SETTINGS } from '../../../shared/controllers/provisioning/observe-batch.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import type { NodeClaim } from '../../../shared/model/nodes/node-claim.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { aNodeClaim, aPod, NOON, podsOf } from '../../support/builders.ts';
import { countCalls, crashingPorts, survives } from '../crash/crashing-ports.ts';
import type { CrashMoment } from '../crash/effects.ts';
import { addRunning, claimsOf, type FakeWorld, providerIdOf, takeHints } from '../support/fake-ports.ts';
import { LATER, withPods } from './provisioning-world.ts';

describe('reconcileProvisioning', () => {
  it('stores, shows and launches a claim for each node that is needed', async () => {
    const world = withPods();
    await reconcileProvisioning(world.ports);

    const claims = await claimsOf(world);
    expect(claims).toHaveLength(3);
    for (const claim of claims) {
      expect(claim).toMatchObject({
        pool: 'general',
        createdAt: LATER,
        podsWaitedSince: NOON,
        launch: { providerId: providerIdOf(claim.name), at: LATER },
      });
      expect(world.projected.get(claim.name)).toEqual(claim);
    }
    expect([...world.instances.keys()]).toEqual(claims.map(({ name }) => providerIdOf(name)));
  });

  it.each<[string, (ports: Ports, no: () => Promise<never>) => Partial<Ports>]>([
    ['if the claims cannot be projected', ({ cluster }, no) => ({ cluster: { ...cluster, projectNodeClaim: no } })],
    [
      'if the planner heartbeat fails',
      ({ leases }, no) => ({
        leases: {
          ...leases,
          acquire: (role, term) => (role === 'plan' ? no() : leases.acquire(role, term)),
        },
      }),
    ],
  ])('ends after its launches, because a Lambda freezes when it returns: %s', async (_, broken) => {
    const world = withPods();
    const { launch } = world.ports.cloud;
    let answered = 0;
    world.ports.cloud.launch = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      answered += 1;
      return launch(request);
    };
    const no = async (): Promise<never> => {
      throw new Error('refused');
    };

    await expect(reconcileProvisioning({ ...world.ports, ...broken(world.ports, no) })).rejects.toThrow('refused');
    expect(answered).toBe(1);
  });

  it('reports each launch and records the decision', async () => {
    const world = withPods(podsOf(1));
    await reconcileProvisioning(world.ports);

    expect(world.events).toMatchObject([{ kind: 'launch', at: LATER, pods: ['default/web-1'], cpuMilli: 1000 }]);
    expect(world.decisions).toMatchObject([{ kind: 'provisioning', at: LATER }]);
    expect(world.decisions[0]?.id).toMatch(/^p-20260101T120002Z-\w{4}$/);
  });

  it('nominates its claims for 20 s', async () => {
    const world = withPods(podsOf(1));
    await reconcileProvisioning(world.ports);
    const [claim] = await claimsOf(world);

    expect(await world.ports.nominations.list(LATER)).toEqual({
      [claim?.name ?? '']: LATER + 20 * SECOND_MS,
    });
  });

  it('launches nothing twice for pods that wait for their node', async () => {
    const world = withPods();
    await reconcileProvisioning(world.ports);
    world.now += 10 * SECOND_MS;
    await reconcileProvisioning(world.ports);

    expect(await claimsOf(world)).toHaveLength(3);
    // Their launch was reported; that they wait for it is not.
    expect(world.events.map(({ kind }) => kind)).toEqual(['launch', 'launch', 'launch']);
  });

  it('reports pods that need no new node', async () => {
    const world = withPods(podsOf(1));
    await addRunning(world, 'general-1');
    await reconcileProvisioning(world.ports);

    expect(world.events).toEqual([{ kind: 'placed', at: LATER, pods: ['default/web-1'], targets: ['general-1'] }]);
    expect(Object.keys(await world.ports.nominations.list(LATER))).toEqual(['general-1']);
  });

  it('waits until the batch has closed', async () => {
    const world = withPods();
    world.now = NOON + 999;
    await reconcileProvisioning(world.ports);

    expect(await claimsOf(world)).toEqual([]);
    expect(takeHints(world)).toEqual([{ hint: { topic: 'plan' }, at: NOON + SECOND_MS }]);
  });

  it('does nothing without pods', async () => {
    const world = withPods([]);
    await reconcileProvisioning(world.ports);

    expect(world.decisions).toEqual([]);
    expect(world.sent).toEqual([]);
  });

  it('reports why a pod stays pending', async () => {
    const world = withPods([aPod({ spec: { ...aPod().spec, nodeSelector: { disk: 'ssd' } } })]);
    await reconcileProvisioning(world.ports);

    expect(world.events).toEqual([
      {
        kind: 'unplaced',
        at: LATER,
        pods: ['default/web-1'],
        text: 'general: no node and no pool has label disk',
      },
    ]);
  });
});

describe('pods whose EC2NodeClass was not evaluated', () => {
  it.each([
    [9, 0],
    [10, 1],
  ])('are not reported while it is younger than ten seconds: %i s', async (seconds, reports) => {
    const world = withPods(podsOf(1));
    const notReady = {
      ...{ condition: 'NodeClassReadinessUnknown', message: 'not evaluated yet' },
      classWrittenAt: LATER - seconds * SECOND_MS,
    };
    world.objects = {
      ...world.objects,
      pools: world.objects.pools.map((pool) => ({ ...pool, ready: false, notReady })),
    };
    await reconcileProvisioning(world.ports);

    expect(world.events).toHaveLength(reports);
    expect(world.decisions).toHaveLength(1);
  });
});

describe('pods that wait for a NodePool that is not ready', () => {
  it('bring its condition up to date', async () => {
    const world = withPods(podsOf(1));
    const notReady = { condition: 'SubnetsNotFound', message: 'no subnet' };
    world.objects = {
      ...world.objects,
      pools: world.objects.pools.map((pool) => ({ ...pool, ready: false, notReady })),
    };
    await reconcileProvisioning(world.ports);

    expect(world.poolStatuses.get('general')?.conditions).toContainEqual({
      ...{ type: 'NodeClassReady', status: 'False', reason: 'SubnetsNotFound' },
      message: 'no subnet',
    });
  });
});

describe('an invocation that may wait', () => {
  /** Each wait passes at once, and `happens` runs before its end. */
  const waiting = (world: FakeWorld, happens: () => void = () => {}) => {
    const waits: number[] = [];
    const wait = async (ms: number) => {
      waits.push(ms);
      world.now += ms;
      happens();
    };
    return { waits, settings: { ...DEFAULT_PROVISIONING_SETTINGS, wait } };
  };

  it('waits until its batch has closed', async () => {
    const world = withPods(podsOf(3).map(withStranger));
    world.now = NOON + 600;
    const { waits, settings } = waiting(world);
    await reconcileProvisioning(world.ports, settings);

    expect(waits).toEqual([250, 150]);
    expect(await claimsOf(world)).toHaveLength(3);
    expect(takeHints(world)).not.toContainEqual(expect.objectContaining({ at: NOON + SECOND_MS }));
  });

  it('does not wait for more pods than the owners will create', async () => {
    const world = withPods(podsOf(3).map(({ owner: _, ...pod }) => pod));
    world.now = NOON + 100;
    const { waits, settings } = waiting(world);
    await reconcileProvisioning(world.ports, settings);

    expect(waits).toEqual([]);
    expect(await claimsOf(world)).toHaveLength(3);
  });

  it('reads again for up to two seconds while kube-scheduler has not reported on a new pod', async () => {
    const { unschedulableSince: _, ...young } = aPod({ name: 'young', createdAt: LATER });
    const world = withPods([aPod(), young]);
    const { waits, settings } = waiting(world);
    await reconcileProvisioning(world.ports, settings);

    expect(waits).toEqual(Array.from({ length: 8 }, () => 250));
    expect(await claimsOf(world)).toHaveLength(1);
  });

  it('plans a new pod with the others once kube-scheduler has reported on it', async () => {
    const { unschedulableSince: _, ...young } = aPod({ name: 'young', createdAt: LATER });
    const world = withPods([aPod(), young]);
    const { waits, settings } = waiting(world, () => {
      world.objects = { ...world.objects, pods: [aPod(), aPod({ name: 'young' })] };
    });
    await reconcileProvisioning(world.ports, settings);

    expect(waits).toEqual([250]);
    expect(world.decisions).toHaveLength(1);
    expect(await claimsOf(world)).toHaveLength(2);
  });
});

/** A pod whose owner's replicas cannot be read. */
const withStranger = (pod: Pod): Pod => ({
  ...pod,
  owner: { kind: 'Workflow', name: 'x', uid: 'x' },
});

describe('a claim name that is taken', () => {
  /** The name that the first claim of `withPods` gets. */
  async function firstName(): Promise<string> {
    const world = withPods();
    await reconcileProvisioning(world.ports);
    return (await claimsOf(world))[0]?.name ?? '';
  }

  it('by chance, leads to another plan with another name', async () => {
    const name = await firstName();
    const world = withPods();
    await world.ports.nodeClaims.save(aNodeClaim({ name, terminatedAt: NOON }), 0);
    await reconcileProvisioning(world.ports);

    expect(world.instances.size).toBe(2);
    expect(takeHints(world)).toContainEqual({ hint: { topic: 'plan' }, at: LATER + SECOND_MS });
  });

  it('is planned from one list of the claims, however often the batch was looked at', async () => {
    const world = withPods();
    let lists = 0;
    const { list } = world.ports.nodeClaims;
    const nodeClaims = {
      ...world.ports.nodeClaims,
      list: async () => {
        lists += 1;
        return list();
      },
    };
    await reconcileProvisioning({ ...world.ports, nodeClaims });

    // And one more under the commit's lease, which makes a plan on an outdated list stale.
    expect(lists).toBe(2);
  });

  it('is tried once if the function has no time for another try', async () => {
    const world = withPods();
    const { ports } = world;
    await ports.leases.acquire('commit', { holder: 'other', now: LATER, forMs: 5 * SECOND_MS });
    let looks = 0;
    const cluster = {
      ...ports.cluster,
      observe: async () => {
        looks += 1;
        return ports.cluster.observe();
      },
    };
    await reconcileProvisioning({ ...ports, cluster, timeLeft: () => 79_999 });

    expect(looks).toBe(1);
    expect(takeHints(world)).toContainEqual({ hint: { topic: 'plan' }, at: LATER + SECOND_MS });
  });

  it('by another run of the same decision, is one claim with one instance', async () => {
    const name = await firstName();
    const world = withPods();
    const { save, list } = world.ports.nodeClaims;
    const nodeClaims = {
      ...world.ports.nodeClaims,
      // Stored by the other run between read and write.
      list: async () => {
        const { records, unreadable } = await list();
        return { records: records.filter(({ claim }) => claim.name !== name), unreadable };
      },
      save: async (claim: NodeClaim, observed: number) => {
        if (claim.name === name && observed === 0) await save(claim, 0);
        await save(claim, observed);
      },
    };
    await reconcileProvisioning({ ...world.ports, nodeClaims });

    expect(await claimsOf(world)).toHaveLength(3);
    expect(world.instances.size).toBe(3);
  });
});

/** Reconciles everything once more, as queue and sweep do after a crash. */
async function recover(world: FakeWorld, ports: Ports): Promise<void> {
  // By then the crashed process holds no lease, and will not record an answer of EC2 any more.
  world.now += 40 * SECOND_MS;
  await reconcileProvisioning(ports);
  for (const { name } of await claimsOf(world)) await dispatch(ports, { topic: 'claim', claim: name });
  await reconcileProvisioning(ports);
}

const callsOfOneRun = () => countCalls(() => withPods().ports, reconcileProvisioning);

describe('an invocation that crashes', () => {
  it.each<CrashMoment>(['before', 'after'])(
    'leaves no instance without a record, whichever call it crashes at: %s it took effect',
    async (moment) => {
      const calls = await callsOfOneRun();
      expect(calls).toBeGreaterThan(20);

      for (let call = 1; call <= calls; call += 1) {
        const world = withPods();
        expect(await survives(crashingPorts(world.ports, call, moment), reconcileProvisioning)).toBe(false);
        const recorded = new Set((await claimsOf(world)).map(({ name }) => name));
        for (const { claim } of world.instances.values()) expect(recorded).toContain(claim);
      }
    },
  );

  it.each<CrashMoment>(['before', 'after'])(
    'is recovered with exactly one node per pod: %s it took effect',
    async (moment) => {
      const calls = await callsOfOneRun();

      for (let call = 1; call <= calls; call += 1) {
        const world = withPods();
        await survives(crashingPorts(world.ports, call, moment), reconcileProvisioning);
        await recover(world, world.ports);

        const claims = await claimsOf(world);
        expect(claims.map(({ launch }) => launch?.providerId).toSorted()).toEqual(
          [...world.instances.keys()].toSorted(),
        );
        expect(world.instances.size).toBe(3);
      }
    },
  );
});
