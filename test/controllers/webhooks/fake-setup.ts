import type { SetupPorts } from '../../../shared/controllers/webhooks/cluster-setup.ts';
import type { WebhookControlPorts } from '../../../shared/controllers/webhooks/webhook-control.ts';
import type { ClusterNetwork, HookToken, Installation } from '../../../shared/ports/cluster-setup.ts';
import { NOON } from '../../support/builders.ts';

/** A cluster to set up, in memory, that can fail between any two steps. */
export interface FakeSetup {
  readonly ports: SetupPorts & WebhookControlPorts;
  /** When a deployment made us an administrator. `undefined`: we are none. */
  administratorSince: number | undefined;
  now: number;
  /** The steps that were done, in order. */
  readonly done: string[];
  /** The token that the API server calls with. `undefined`: there are no webhooks. */
  hooks: string | undefined;
  /** The tokens that the intake accepts. */
  admitted: readonly string[];
  current: HookToken;
  next: HookToken | undefined;
  installation: Installation | undefined;
  network: ClusterNetwork | undefined;
  hasOtherHooks: boolean;
  probeMs: number;
  /** The step that fails, counted from 0. `undefined`: none. */
  failsAt: number | undefined;
}

export function aFakeSetup(over: Partial<Omit<FakeSetup, 'ports' | 'done'>> = {}): FakeSetup {
  const step = async (name: string): Promise<void> => {
    if (world.done.length === world.failsAt) throw new Error(`killed at ${name}`);
    world.done.push(name);
  };
  let made = 0;

  const ports: FakeSetup['ports'] = {
    clock: { now: () => world.now },
    sleep: async (ms) => {
      await step(`sleep ${ms}`);
      world.now += ms;
    },
    tokens: {
      read: async () => ({ current: world.current, ...(world.next && { next: world.next }) }),
      async propose() {
        await step('propose');
        made += 1;
        world.next = { text: `made-${made}`, createdAt: world.now };
        return world.next;
      },
      async promote() {
        await step('promote');
        if (!world.next) return;
        world.current = world.next;
        world.next = undefined;
      },
    },
    intake: {
      async admit(tokens) {
        const texts = tokens.map(({ text }) => text);
        await step(`admit ${texts.join(' ')}`);
        world.admitted = texts;
      },
    },
    setup: {
      async apply({ isAdministrator, keepsOldRules }) {
        const identity = isAdministrator ? ' as administrator' : '';
        await step(`apply${identity}${keepsOldRules ? '' : ' exactly'}`);
        return [];
      },
      applyBindings: () => step('bind'),
      endUninstall: () => step('end uninstall'),
      async placeHooks({ text }) {
        await step(`place ${text}`);
        world.hooks = text;
      },
      async withdrawHooks() {
        await step('withdraw');
        world.hooks = undefined;
      },
      hasOtherHooks: async () => world.hasOtherHooks,
      async probe() {
        await step('probe');
        return world.probeMs;
      },
      async remove() {
        await step('remove');
        return { orphans: [], isHandedOver: false, runningNodes: [] };
      },
    },
    installations: {
      find: async () => world.installation,
      async save(installation) {
        await step('save');
        world.installation = installation;
      },
    },
    nodeIdentities: {
      async removeUnused() {
        await step('remove identities');
        return undefined;
      },
    },
    administrator: {
      heldSince: async () => world.administratorSince,
      async end() {
        await step('end administration');
        world.administratorSince = undefined;
      },
    },
    requestSetup: () => step('set up soon'),
    requestSweep: () => step('sweep soon'),
    network: async () => world.network,
  };

  const world: FakeSetup = {
    ports,
    now: NOON,
    administratorSince: undefined,
    done: [],
    hooks: undefined,
    admitted: [],
    current: { text: 'first', createdAt: NOON },
    next: undefined,
    installation: undefined,
    network: undefined,
    hasOtherHooks: false,
    probeMs: 10,
    failsAt: undefined,
    ...over,
  };
  return world;
}

/** Set up with webhooks and healthy. */
export const anInstallation = (over: Partial<Installation> = {}): Installation => ({
  release: '0.1.0',
  eventSource: 'hook',
  why: 'The option eventSource says so: hook.',
  isEgressRouted: false,
  hasOtherHooks: false,
  hooks: { state: 'placed', since: NOON },
  ...over,
});
