import { SECOND_MS } from '../../../shared/model/time.ts';
import { NOON, podsOf } from '../../support/builders.ts';
import { aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

/** When the batch of `withPods` is closed. */
export const LATER = NOON + 2 * SECOND_MS;

/** Three pods that need a node each, and whose batch is closed. */
export function withPods(pods = podsOf(3)): FakeWorld {
  const world = aFakeWorld({ pods });
  world.now = LATER;
  return world;
}
