import { SECOND_MS } from '../../model/time.ts';
import type { Ports } from '../../ports/ports.ts';

/** A planner that died takes its queue along for minutes; so long its silence means nothing. */
const SILENCE_MS = 30 * SECOND_MS;

type LifePorts = Pick<Ports, 'leases' | 'clock'>;

const take = ({ leases, clock }: LifePorts, holder: string) =>
  leases.acquire('plan', { holder, now: clock.now(), forMs: SILENCE_MS });

/** The planner says that it lives. Whether it has the lease is nothing to it: commits keep order. */
export async function showLife(ports: LifePorts): Promise<void> {
  await take(ports, 'planner');
}

/** Whether the planner has not been heard of for so long that somebody else has to plan. */
export const isPlannerSilent = async (ports: LifePorts): Promise<boolean> =>
  (await take(ports, 'sweep')) !== undefined;
