import type { WorkloadRef } from '../../shared/model/pods/workload.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';

const STOREFRONT: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'storefront' };
const CHECKOUT: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const RENDER: WorkloadRef = { kind: 'Deployment', namespace: 'batch', name: 'render' };
const NOTEBOOK: WorkloadRef = { kind: 'Deployment', namespace: 'lab', name: 'notebook' };

/** Length of one round of the demo; the next round starts when it ends. */
const ROUND_MS = 29 * MINUTE_MS;
const LOST_ZONE = 'us-east-1b';
const ZONE_LOST_FOR_MS = 4 * MINUTE_MS;

interface Scene {
  /** Milliseconds since the start of the round. */
  readonly at: number;
  /** The sentence that the page shows from now on. */
  readonly caption: string;
  play(world: SimWorld): void;
}

const OPENING = 'The workloads start; the first nodes are launched for their pods.';

/**
 * The script of the demo: a batch burst needs spot nodes, a pod needs more than any node has,
 * traffic grows, EC2 interrupts a spot node, the burst ends, traffic falls and the nodes are
 * consolidated. Then nodes are replaced by those of a new template, a zone fails, and at night
 * nothing is left.
 */
export const DEMO_SCENES: readonly Scene[] = [
  {
    at: MINUTE_MS,
    caption: 'A batch of 24 render pods arrives and needs spot nodes.',
    play: ({ demoActions }) => demoActions.scale(RENDER, 24),
  },
  {
    at: 2 * MINUTE_MS,
    caption: 'A notebook asks for more than any node has. Select it to see what would help.',
    play: ({ demoActions }) => demoActions.scale(NOTEBOOK, 1),
  },
  {
    at: 3 * MINUTE_MS + 30 * SECOND_MS,
    caption: 'Traffic grows: the storefront doubles to 24 pods.',
    play: ({ demoActions }) => demoActions.scale(STOREFRONT, 24),
  },
  {
    at: 5 * MINUTE_MS,
    caption: 'EC2 takes back a spot node; a replacement starts while its pods move.',
    play: takeBackOldestSpotNode,
  },
  {
    at: 7 * MINUTE_MS,
    caption: 'The batch is done; its nodes are empty and go.',
    play: ({ demoActions }) => demoActions.scale(RENDER, 0),
  },
  {
    at: 8 * MINUTE_MS,
    caption: 'Traffic falls; nodes whose pods fit elsewhere are removed.',
    play({ demoActions }) {
      demoActions.scale(STOREFRONT, 12);
      demoActions.scale(CHECKOUT, 3);
    },
  },
  {
    at: 10 * MINUTE_MS,
    caption: 'The notebook is deleted; nothing is blocked.',
    play: ({ demoActions }) => demoActions.scale(NOTEBOOK, 0),
  },
  {
    at: 11 * MINUTE_MS + 30 * SECOND_MS,
    caption: 'Checkout is back to six pods.',
    play: ({ demoActions }) => demoActions.scale(CHECKOUT, 6),
  },
  {
    at: 13 * MINUTE_MS,
    caption: 'A rollout: NodePool general changed, so its nodes are replaced, each once its replacement is ready.',
    play: ({ demoActions }) => demoActions.changeTemplate('general'),
  },
  {
    at: 18 * MINUTE_MS,
    caption: `Zone ${LOST_ZONE} fails with all its nodes; their pods move to other zones.`,
    play: ({ demoActions }) => demoActions.loseZone(LOST_ZONE, ZONE_LOST_FOR_MS),
  },
  {
    at: 22 * MINUTE_MS,
    caption: `Zone ${LOST_ZONE} is back. Night falls: the workloads scale to zero, and every node goes.`,
    play({ demoActions }) {
      demoActions.scale(STOREFRONT, 0);
      demoActions.scale(CHECKOUT, 0);
    },
  },
  {
    at: 26 * MINUTE_MS,
    caption: 'Morning: the workloads are back, and nodes start for them.',
    play({ demoActions }) {
      demoActions.scale(STOREFRONT, 12);
      demoActions.scale(CHECKOUT, 6);
    },
  },
  {
    at: 28 * MINUTE_MS,
    caption: 'The next round begins soon.',
    play: () => {},
  },
];

/** A running script. It stops after an action of the user, so that the two do not interfere. */
export interface Demo {
  /** A sentence about the current scene. */
  caption(): string;
  isStopped(): boolean;
  /** Plays a new round from now on, until the next action of the user. */
  resume(): void;
}

/** Plays the demo round after round, until the user changes the cluster. */
export function playDemo(world: SimWorld): Demo {
  let caption = OPENING;
  let round = 0;
  /** Actions of the user up to this event do not stop the script. */
  let resumedAt = 0;

  const isStopped = (): boolean =>
    world.events(resumedAt).some(({ event }) => event.kind === 'you' && event.by === 'you');

  function playRound(): void {
    round += 1;
    const own = round;
    const begins = world.clock.now();
    const schedule = (at: number, play: () => void) =>
      world.clock.schedule(begins + at, () => {
        if (own === round && !isStopped()) play();
      });
    for (const scene of DEMO_SCENES) {
      schedule(scene.at, () => {
        caption = scene.caption;
        scene.play(world);
      });
    }
    schedule(ROUND_MS, playRound);
  }

  playRound();
  return {
    caption: () => caption,
    isStopped,
    resume() {
      if (!isStopped()) return;
      resumedAt = world.events().at(-1)?.seq ?? resumedAt;
      caption = 'The demo goes on; its first action comes in a minute.';
      playRound();
    },
  };
}

function takeBackOldestSpotNode({ ledger, demoActions }: SimWorld): void {
  const oldest = ledger.billedNodes.find(
    ({ capacityType, removedAt }) => capacityType === 'spot' && removedAt === undefined,
  );
  if (oldest) demoActions.interrupt(oldest.claim, 'spot-interruption');
}
