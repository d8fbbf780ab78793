import { sweep } from '../../shared/controllers/sweep.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import { type FakeWorld, providerIdOf, takeHints } from './support/fake-ports.ts';

export const hintedClaims = (world: FakeWorld): readonly string[] =>
  takeHints(world).flatMap(({ hint }) => (hint.topic === 'claim' ? [hint.claim] : []));

export const sweepTwice = async (world: FakeWorld): Promise<void> => {
  await sweep(world.ports);
  world.now += MINUTE_MS;
  await sweep(world.ports);
};

export const addInstance = (world: FakeWorld, claim: string): void => {
  const providerId = providerIdOf(claim);
  world.instances.set(providerId, { providerId, claim, state: 'running' });
};

/** EC2 lists no instance as launched by Mortise; it describes each by its id. */
export const listOnlyOwn = (world: FakeWorld): void => {
  world.ports.cloud.instances = async () => [];
};

export const failing = async (): Promise<never> => {
  throw new Error('throttled');
};
