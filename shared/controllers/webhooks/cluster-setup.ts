import { SECOND_MS } from '../../model/time.ts';
import type { ClusterNetwork, ClusterSetup, EventSource, HooksState, Installation, Installations, LeftDefinition, RemovalReport } from '../../ports/cluster-setup.ts';
import type { ShiftSource } from '../../ports/cloud.ts';
import { chooseEventSource } from './event-source.ts';
import { placeWithToken, type TokenPorts } from './token-rotation.ts';

export interface SetupPorts extends TokenPorts {
  readonly setup: ClusterSetup;
  readonly installations: Installations;
  /** Has all that waits looked at soon. */
  readonly sweepSoon: () => Promise<void>;
  /** Absent: nobody could tell. */
  readonly network: () => Promise<ClusterNetwork | undefined>;
  /** Absent: zonal shifts are not followed. */
  readonly shiftSource?: ShiftSource;
}

export interface SetupWish {
  readonly release: string;
  readonly wanted: EventSource | 'auto';
  readonly isInVpc: boolean;
  readonly isHookPrivate: boolean;
}

export interface SetupOutcome {
  readonly installation: Installation;
  readonly left: readonly LeftDefinition[];
}

/** The cluster cannot be served as it is. The message is a sentence for who deploys. */
export class SetupRefusedError extends Error {
  override readonly name = 'SetupRefusedError';
}

/** A write that we are asked about is slow from here on: the API server waits a second at most. */
const SLOW_PROBE_MS = 0.8 * SECOND_MS;
/** Until all API servers honour hooks that were placed. */
const SETTLE_MS = 10 * SECOND_MS;

/**
 * Brings our part of the cluster to what this release needs. Running it again does no harm.
 *
 * @throws SetupRefusedError - before anything was written
 */
export async function setUpCluster(ports: SetupPorts, wish: SetupWish): Promise<SetupOutcome> {
  const network = await ports.network();
  const choice = chooseEventSource({ ...wish, ...(network && { network }) });
  if (choice.outcome === 'refused') throw new SetupRefusedError(choice.why);
  await mustBeRegistered(ports);

  const left = await ports.setup.apply();
  const usesHooks = choice.source === 'hook';
  await (usesHooks ? placeWithToken(ports) : ports.setup.withdrawHooks());

  const installation: Installation = {
    release: wish.release,
    eventSource: choice.source,
    why: choice.why,
    isEgressRouted: network?.egress === 'customer-routed',
    hasOtherHooks: await ports.setup.hasOtherHooks(),
    hooks: usesHooks ? placedNow(ports) : { state: 'none' },
  };
  await ports.installations.save(installation);
  // What waits by now need not wait for the next minute.
  await ports.sweepSoon();
  return { installation, left };
}

/** A cluster that nobody can shift would be watched in vain, and whoever deploys would not know. */
async function mustBeRegistered({ shiftSource, clock }: SetupPorts): Promise<void> {
  const answer = await shiftSource?.ask(clock.now());
  if (answer?.outcome === 'not-registered') throw new SetupRefusedError(NOT_REGISTERED);
}

const NOT_REGISTERED =
  'The cluster is not registered with ARC zonal shift. Register it (aws eks update-cluster-config ' +
  '--name <cluster> --zonal-shift-config enabled=true), or leave out the option enableZonalShift.';

/**
 * Puts back what somebody took or changed, and replaces a token that is old. What was taken away on
 * purpose stays away. Where nothing tells how the cluster was set up, as after the table was emptied,
 * it is set up anew.
 *
 * @throws SetupRefusedError - it is not known, and the cluster cannot be served as it is
 */
export async function keepSetup(ports: SetupPorts, wish: SetupWish): Promise<void> {
  const installation = await ports.installations.find();
  if (!installation) {
    await setUpCluster(ports, wish);
    return;
  }
  if (isTakenAway(installation)) return;

  await ports.setup.apply();
  if (installation.hooks.state !== 'placed') return;
  await placeWithToken(ports);
  const hasOtherHooks = await ports.setup.hasOtherHooks();
  if (hasOtherHooks === installation.hasOtherHooks) return;
  await ports.installations.save({ ...installation, hasOtherHooks });
}

/** Replaces a token that somebody has seen. Without hooks there is nobody to call with it. */
export async function rotateToken(ports: SetupPorts): Promise<void> {
  const installation = await ports.installations.find();
  if (installation?.hooks.state === 'placed') await placeWithToken(ports, true);
}

/** By the stack's removal, or by somebody who uninstalls. */
const isTakenAway = ({ eventSource, hooks }: Installation): boolean =>
  (hooks.state === 'withdrawn' && hooks.by === 'operator') ||
  (hooks.state === 'none' && eventSource === 'hook');

/** The cluster is not made to wait for us any more: the poll takes over. */
export async function withdrawHooks(
  {
    setup,
    installations,
    clock,
  }: Pick<SetupPorts, 'installations' | 'clock'> & {
    readonly setup: Pick<ClusterSetup, 'withdrawHooks'>;
  },
  { by, why }: { readonly by: 'breaker' | 'operator'; readonly why: string },
): Promise<void> {
  await setup.withdrawHooks();
  const installation = await installations.find();
  if (installation?.eventSource !== 'hook') return;
  await installations.save({
    ...installation,
    hooks: { state: 'withdrawn', since: clock.now(), by, why },
  });
}

/** Brings hooks back, looks at once whether the cluster suffers, and then takes them again. */
export async function restoreHooks(ports: SetupPorts): Promise<void> {
  const installation = await ports.installations.find();
  if (installation?.hooks.state !== 'withdrawn') return;

  await placeWithToken(ports);
  await ports.sleep(SETTLE_MS);
  const tookMs = await ports.setup.probe();
  if (tookMs >= SLOW_PROBE_MS) {
    const why = `a probe took ${Math.round(tookMs)} ms`;
    return withdrawHooks(ports, { by: 'breaker', why });
  }
  await ports.installations.save({ ...installation, hooks: placedNow(ports) });
}

/** @see ClusterSetup.remove */
export async function removeCluster({
  setup,
  installations,
}: Pick<SetupPorts, 'setup' | 'installations'>): Promise<RemovalReport> {
  const report = await setup.remove();
  const installation = await installations.find();
  if (installation) await installations.save({ ...installation, hooks: { state: 'none' } });
  return report;
}

const placedNow = ({ clock }: Pick<SetupPorts, 'clock'>): HooksState => ({
  state: 'placed',
  since: clock.now(),
});
