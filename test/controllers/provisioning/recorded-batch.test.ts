import { describe, expect, it } from 'vitest';
import { NO_SUSPECTS } from '../../../shared/controllers/planning-attempts/bisect.ts';
import { reconcileProvisioning } from '../../../shared/controllers/provisioning/reconcile.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import type { ProvisioningInput } from '../../../shared/ports/decision-log.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import { aNode, aRunningPod, podsOf } from '../../support/builders.ts';
import { aFatalPod } from '../../support/fatal-pod.ts';
import { ends, hasPlanned, PlannerEnded } from '../../support/planner-end.ts';
import { claimsOf, type FakeWorld, takeHints } from '../support/fake-ports.ts';
import { LATER, withPods } from './provisioning-world.ts';

/** Pods of an owner each; those of the given names end the planner. */
const podsWithFatal = (count: number, ...names: readonly string[]): Pod[] =>
  podsOf(count)
    .map(({ name, ...pod }): Pod => ({ ...pod, name, owner: { kind: 'Job', name, uid: name } }))
    .map((pod) => (names.includes(pod.name) ? aFatalPod(pod, ends) : pod));

/** Plans until no plan asks for another one at once. @returns the number of plans that did not end */
async function planRepeatedly(world: FakeWorld, maxPlans = 40): Promise<number> {
  let unfinished = 0;
  for (let count = 0; count < maxPlans; count += 1) {
    world.now += SECOND_MS;
    if (!(await hasPlanned(reconcileProvisioning(world.ports)))) {
      unfinished += 1;
      continue;
    }
    const isDue = takeHints(world).some(({ hint }) => hint.topic === 'plan');
    if (!isDue) return unfinished;
  }
  return unfinished;
}

/** Stands for an error of the table that is caught. */
class TableFailed extends Error {
  override readonly name = 'TableFailed';
}

/** The reads of a plan while its attempt is recorded, or after it: offerings, and back-offs of each cause. */
const READS = ['unavailableOfferings', 'registration', 'launch', 'placement'] as const;

function withUnreadable(ports: Ports, read: (typeof READS)[number]): Ports {
  const fail = async () => {
    throw new TableFailed(read);
  };
  const { poolBackoffs, unavailableOfferings } = ports;
  return read === 'unavailableOfferings'
    ? { ...ports, unavailableOfferings: { ...unavailableOfferings, list: fail } }
    : {
        ...ports,
        poolBackoffs: { ...poolBackoffs, list: (cause) => (cause === read ? fail() : poolBackoffs.list(cause)) },
      };
}

const podsWithClaims = async (world: FakeWorld): Promise<readonly string[]> =>
  world.events.flatMap((event) => (event.kind === 'launch' ? event.pods : [])).toSorted((a, b) => (a < b ? -1 : 1));

describe('a batch whose planning ends the process', () => {
  it('is recorded before it is planned, and no longer once the plan exists', async () => {
    const fatal = withPods(podsWithFatal(2, 'web-1'));
    await expect(reconcileProvisioning(fatal.ports)).rejects.toThrow(PlannerEnded);
    const ordinary = withPods();
    await reconcileProvisioning(ordinary.ports);

    expect((await fatal.ports.planningState.find('provisioning'))?.state.attempt).toEqual({
      startedAt: LATER,
      hasFailed: true,
    });
    expect(await ordinary.ports.planningState.find('provisioning')).toEqual({
      state: { suspects: [], areOthersPlanned: false, setAside: [] },
      version: 2,
    });
  });

  it('is planned in parts, until all pods but the one that ends the planner have nodes', async () => {
    const world = withPods(podsWithFatal(9, 'web-7'));
    const unfinished = await planRepeatedly(world);

    expect(unfinished).toBeLessThanOrEqual(6);
    expect(await podsWithClaims(world)).toEqual([1, 2, 3, 4, 5, 6, 8, 9].map((ordinal) => `default/web-${ordinal}`));
  });

  it('has its culprit set aside with the reason, and an event that names it', async () => {
    const world = withPods(podsWithFatal(3, 'web-2'));
    await planRepeatedly(world);

    const event = world.events.find(({ kind }) => kind === 'pods-set-aside');
    expect(event).toMatchObject({ pods: ['default/web-2'], podCount: 1, failures: 1 });
    expect(world.events.filter(({ kind }) => kind === 'plan-unfinished').length).toBeGreaterThan(2);
    expect(world.decisions.at(-1)?.plan).toMatchObject({
      unplaced: [
        {
          pods: ['default/web-2'],
          pools: [{ pool: 'general', reasons: [{ code: 'planning-failed' }] }],
        },
      ],
    });
  });

  it('gets its culprit planned after ten minutes, when it no longer ends the planner', async () => {
    let isFatal = true;
    const [first, ...others] = podsWithFatal(3);
    const world = withPods(first && [aFatalPod(first, () => (isFatal ? ends() : [])), ...others]);
    await planRepeatedly(world);
    isFatal = false;
    await planRepeatedly(world);
    const before = await claimsOf(world);
    world.now += 10 * MINUTE_MS;
    await planRepeatedly(world);

    expect(before).toHaveLength(2);
    expect(await claimsOf(world)).toHaveLength(3);
    expect((await world.ports.planningState.find('provisioning'))?.state.setAside).toEqual([]);
  });

  it('gets its culprit planned at once when its spec has changed', async () => {
    const world = withPods(podsWithFatal(3, 'web-2'));
    await planRepeatedly(world);
    const pods = podsWithFatal(3).map((pod) => ({ ...pod, spec: { ...pod.spec, priority: 7 } }));
    world.objects = { ...world.objects, pods };
    await planRepeatedly(world);

    expect(await claimsOf(world)).toHaveLength(3);
  });

  it('delays the pods that come meanwhile by one attempt at most', async () => {
    const world = withPods(podsWithFatal(8, 'web-3'));
    await planRepeatedly(world, 3);
    world.objects = { ...world.objects, pods: podsWithFatal(12, 'web-3') };
    const before = (await podsWithClaims(world)).length;
    await planRepeatedly(world, 2);

    expect((await podsWithClaims(world)).length).toBeGreaterThan(before);
  });

  it('is planned without a record if another planner stores the state first', async () => {
    const world = withPods();
    const { planningState } = world.ports;
    const ports = { ...world.ports, planningState: { ...planningState, save: async () => false } };
    await reconcileProvisioning(ports);

    expect(await claimsOf(world)).toHaveLength(3);
    expect(await planningState.find('provisioning')).toBeUndefined();
  });

  it.each(READS)('makes no pod suspect if %s cannot be read', async (store) => {
    const world = withPods();
    const ports = withUnreadable(world.ports, store);
    for (let tries = 0; tries < 4; tries += 1) await expect(reconcileProvisioning(ports)).rejects.toThrow(TableFailed);
    const stored = await world.ports.planningState.find('provisioning');
    await reconcileProvisioning(world.ports);

    expect(stored?.state).toEqual(NO_SUSPECTS);
    expect(await claimsOf(world)).toHaveLength(3);
  });

  it('leaves what was known about its suspects if it is cancelled', async () => {
    const world = withPods(podsWithFatal(9, 'web-7'));
    await planRepeatedly(world, 3);
    const before = await world.ports.planningState.find('provisioning');
    const ports = withUnreadable(world.ports, 'registration');
    await expect(reconcileProvisioning(ports)).rejects.toThrow(TableFailed);

    const after = await world.ports.planningState.find('provisioning');
    expect(after?.state.attempt).toBeUndefined();
    expect(after?.state.suspects).toEqual(before?.state.suspects);
    expect(await planRepeatedly(world)).toBeLessThanOrEqual(5);
    expect(await podsWithClaims(world)).toHaveLength(8);
  });

  it('names both errors if it can be neither planned nor cancelled', async () => {
    const world = withPods();
    const { planningState } = world.ports;
    let saves = 0;
    const save: typeof planningState.save = async (...args) => {
      saves += 1;
      if (saves > 1) throw new TableFailed('the attempt');
      return planningState.save(...args);
    };
    const unreadable = withUnreadable(world.ports, 'unavailableOfferings');
    const ports = { ...unreadable, planningState: { ...planningState, save } };

    await expect(reconcileProvisioning(ports)).rejects.toThrow(/unavailableOfferings.*the attempt/);
  });

  it('leads to a decision whose record repeats it', async () => {
    const world = withPods(podsWithFatal(3, 'web-2'));
    const inputs: ProvisioningInput[] = [];
    const { decisionLog } = world.ports;
    const recording: FakeWorld['ports'] = {
      ...world.ports,
      decisionLog: {
        ...decisionLog,
        async recordDecision(decision) {
          if (decision.kind === 'provisioning' && decision.input) inputs.push(decision.input);
          await decisionLog.recordDecision(decision);
        },
      },
    };
    await planRepeatedly(Object.assign(world, { ports: recording }));

    expect(inputs.at(-1)?.heldBack).toMatchObject({
      deferred: [],
      setAside: [{ pods: ['default/web-2'], failures: 1 }],
    });
  });
});

describe('an ordinary batch', () => {
  it('is recorded while the records of its snapshot are read', async () => {
    const world = withPods();
    const order: string[] = [];
    const { planningState, nodeClaims } = world.ports;
    const ports: FakeWorld['ports'] = {
      ...world.ports,
      nodeClaims: {
        ...nodeClaims,
        async list(options) {
          order.push('list');
          await new Promise((resolve) => setTimeout(resolve, 5));
          order.push('listed');
          return nodeClaims.list(options);
        },
      },
      planningState: {
        ...planningState,
        save(...args) {
          order.push('save');
          return planningState.save(...args);
        },
      },
    };
    await reconcileProvisioning(ports);

    expect(order.slice(0, 3)).toContain('save');
    expect(order.indexOf('save')).toBeLessThan(order.indexOf('listed'));
  });
});

describe('a running pod that ends the planner', () => {
  /** Three pods wait, and a pod that ends the planner runs on a node that takes no other. */
  function withFatalRunningPod(): FakeWorld {
    const world = withPods(podsOf(3));
    const taints = [{ key: 'other', value: '', effect: 'NoSchedule' }] as const;
    const fatal = aFatalPod(aRunningPod('other', { name: 'runs' }), ends);
    const { nodes, pods } = world.objects;
    const node = aNode({ name: 'other', taints });
    world.objects = { ...world.objects, nodes: [...nodes, node], pods: [...pods, fatal] };
    return world;
  }

  it('pauses the planner after four plans that did not end, and blames no waiting pod', async () => {
    const world = withFatalRunningPod();
    const unfinished = await planRepeatedly(world);

    expect(unfinished).toBe(4);
    const kinds = world.events.map(({ kind }) => kind);
    expect(kinds).toContain('planning-paused');
    expect(kinds).not.toContain('pods-set-aside');
    const decision = world.decisions.findLast(({ kind }) => kind === 'provisioning');
    expect(decision?.plan).toMatchObject({
      claims: [],
      unplaced: [
        {
          pods: ['default/web-1', 'default/web-2', 'default/web-3'],
          pools: [{ pool: 'general', reasons: [{ code: 'planning-paused' }] }],
        },
      ],
    });
  });

  it('delays pods by ten minutes at most once the defect is gone', async () => {
    const world = withFatalRunningPod();
    await planRepeatedly(world);
    const pods = world.objects.pods.filter(({ name }) => name !== 'runs');
    world.objects = { ...world.objects, pods };
    world.now += 10 * MINUTE_MS;
    await planRepeatedly(world);

    expect(await podsWithClaims(world)).toHaveLength(3);
    expect((await world.ports.planningState.find('provisioning'))?.state).toEqual(NO_SUSPECTS);
  });
});

it('an attempt that another planner has just begun is not counted as one that did not end', async () => {
  const world = withPods(podsWithFatal(4));
  const running = {
    suspects: [],
    areOthersPlanned: false,
    setAside: [],
    attempt: { startedAt: world.now },
  };
  await world.ports.planningState.save('provisioning', running, 0);

  world.now += 18 * SECOND_MS;
  expect(await planRepeatedly(world, 1)).toBe(0);

  expect(await podsWithClaims(world)).toHaveLength(4);
  expect((await world.ports.planningState.find('provisioning'))?.state).toEqual(running);
  expect(world.events.map(({ kind }) => kind)).not.toContain('plan-unfinished');
});
