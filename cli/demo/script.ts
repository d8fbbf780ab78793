import type { WorkloadRef } from '../../shared/model/pods/workload.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';

const STOREFRONT: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'storefront' };
const CHECKOUT: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const RENDER: WorkloadRef = { kind: 'Deployment', namespace: 'batch', name: 'render' };
const NOTEBOOK: WorkloadRef = { kind: 'Deployment', namespace: 'lab', name: 'notebook' };

/** Length of one round of the demo; the next round starts when it ends. */
const ROUND_MS = 12 * MINUTE_MS;

interface Scene {
  /** Milliseconds since the start of the round. */
  readonly at: number;
  play(world: SimWorld): void;
}

/**
 * The script of the demo: a batch burst needs spot nodes, traffic grows, EC2 interrupts a spot
 * node, a pod needs more than any node has, the burst ends, traffic falls and the nodes are
 * consolidated.
 */
const SCENES: readonly Scene[] = [
  { at: 2 * MINUTE_MS, play: ({ demoActions }) => demoActions.scale(RENDER, 24) },
  {
    at: 3 * MINUTE_MS + 30 * SECOND_MS,
    play: ({ demoActions }) => demoActions.scale(STOREFRONT, 24),
  },
  { at: 5 * MINUTE_MS, play: takeBackOldestSpotNode },
  { at: 6 * MINUTE_MS, play: ({ demoActions }) => demoActions.scale(NOTEBOOK, 1) },
  { at: 7 * MINUTE_MS, play: ({ demoActions }) => demoActions.scale(RENDER, 0) },
  { at: 8 * MINUTE_MS, play: ({ demoActions }) => demoActions.scale(STOREFRONT, 12) },
  { at: 8 * MINUTE_MS, play: ({ demoActions }) => demoActions.scale(CHECKOUT, 3) },
  { at: 10 * MINUTE_MS, play: ({ demoActions }) => demoActions.scale(NOTEBOOK, 0) },
  {
    at: 11 * MINUTE_MS + 30 * SECOND_MS,
    play: ({ demoActions }) => demoActions.scale(CHECKOUT, 6),
  },
];

/** Plays the demo round after round, until the user changes the cluster. */
export function playDemo(world: SimWorld): void {
  const begins = world.clock.now();
  for (const scene of SCENES) {
    world.clock.schedule(begins + scene.at, () => {
      if (!isTakenOver(world)) scene.play(world);
    });
  }
  world.clock.schedule(begins + ROUND_MS, () => {
    if (!isTakenOver(world)) playDemo(world);
  });
}

const isTakenOver = (world: SimWorld): boolean =>
  world.events().some(({ event }) => event.kind === 'you' && event.by === 'you');

function takeBackOldestSpotNode({ ledger, demoActions }: SimWorld): void {
  const oldest = ledger.billedNodes.find(
    ({ capacityType, removedAt }) => capacityType === 'spot' && removedAt === undefined,
  );
  if (oldest) demoActions.interrupt(oldest.claim, 'spot-interruption');
}
