import { SECOND_MS } from '../../model/time.ts';
import type { ShiftSource } from '../../ports/cloud.ts';
import type {
  ClusterNetwork,
  ClusterSetup,
  EventSource,
  HooksState,
  Installation,
  Installations,
  LeftDefinition,
  RemovalReport,
} from '../../ports/cluster-setup.ts';
import { chooseEventSource } from './event-source.ts';
import { placeHooksWithToken, type TokenPorts } from './token-rotation.ts';

export interface SetupPorts extends TokenPorts {
  readonly setup: ClusterSetup;
  readonly installations: Installations;
  /** Has all that waits looked at soon. */
  readonly requestSweep: () => Promise<void>;
  /** Absent: nobody could tell. */
  readonly network: () => Promise<ClusterNetwork | undefined>;
  /** Absent: zonal shifts are not followed. */
  readonly shiftSource?: ShiftSource;
}

export interface SetupOptions {
  readonly release: string;
  readonly wanted: EventSource | 'auto';
  readonly isInVpc: boolean;
  readonly isHookPrivate: boolean;
}

export interface SetupResult {
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
const HOOK_PROPAGATION_MS = 10 * SECOND_MS;

/**
 * Brings our part of the cluster to what this release needs. Running it again does no harm.
 *
 * @throws SetupRefusedError - before anything was written
 */
export async function setUpCluster(ports: SetupPorts, options: SetupOptions): Promise<SetupResult> {
  const network = await ports.network();
  const choice = chooseEventSource({ ...options, ...(network && { network }) });
  if (choice.outcome === 'refused') throw new SetupRefusedError(choice.why);
  await requireZonalShiftRegistration(ports);

  const left = await ports.setup.apply();
  const usesHooks = choice.source === 'hook';
  await (usesHooks ? placeHooksWithToken(ports) : ports.setup.withdrawHooks());

  const installation: Installation = {
    release: options.release,
    eventSource: choice.source,
    why: choice.why,
    isEgressRouted: network?.egress === 'customer-routed',
    hasOtherHooks: await ports.setup.hasOtherHooks(),
    hooks: usesHooks ? toPlacedState(ports) : { state: 'none' },
  };
  await ports.installations.save(installation);
  // What waits by now need not wait for the next minute.
  await ports.requestSweep();
  return { installation, left };
}

/** A cluster that nobody can shift would be watched in vain, and whoever deploys would not know. */
async function requireZonalShiftRegistration({ shiftSource, clock }: SetupPorts): Promise<void> {
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
export async function repairSetup(ports: SetupPorts, options: SetupOptions): Promise<void> {
  const installation = await ports.installations.find();
  if (!installation) {
    await setUpCluster(ports, options);
    return;
  }
  if (isRemovedOnPurpose(installation)) return;

  await ports.setup.apply();
  if (installation.hooks.state !== 'placed') return;
  await placeHooksWithToken(ports);
  const hasOtherHooks = await ports.setup.hasOtherHooks();
  if (hasOtherHooks === installation.hasOtherHooks) return;
  await ports.installations.save({ ...installation, hasOtherHooks });
}

/** Replaces a token that somebody has seen. Without hooks there is nobody to call with it. */
export async function rotateToken(ports: SetupPorts): Promise<void> {
  const installation = await ports.installations.find();
  if (installation?.hooks.state === 'placed') await placeHooksWithToken(ports, true);
}

/** By the stack's removal, or by somebody who uninstalls. */
const isRemovedOnPurpose = ({ eventSource, hooks }: Installation): boolean =>
  (hooks.state === 'withdrawn' && hooks.by === 'operator') ||
  (hooks.state === 'none' && eventSource === 'hook');

/** The cluster is not made to wait for us any more: the poll takes over. */
export async function disableHooks(
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

  await placeHooksWithToken(ports);
  await ports.sleep(HOOK_PROPAGATION_MS);
  const tookMs = await ports.setup.probe();
  if (tookMs >= SLOW_PROBE_MS) {
    const why = `a probe took ${Math.round(tookMs)} ms`;
    return disableHooks(ports, { by: 'breaker', why });
  }
  await ports.installations.save({ ...installation, hooks: toPlacedState(ports) });
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

const toPlacedState = ({ clock }: Pick<SetupPorts, 'clock'>): HooksState => ({
  state: 'placed',
  since: clock.now(),
});
