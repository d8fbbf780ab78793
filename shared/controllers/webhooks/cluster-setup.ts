import { SECOND_MS } from '../../model/time.ts';
import type { ShiftSource } from '../../ports/cloud.ts';
import type {
  ClusterNetwork,
  ClusterSetup,
  EventSource,
  HooksState,
  Installation,
  Installations,
  RemovalReport,
  UnmanagedDefinition,
} from '../../ports/cluster-setup.ts';
import { chooseEventSource } from './event-source.ts';
import { placeHooksWithToken, type TokenPorts } from './token-rotation.ts';

export interface SetupPorts extends TokenPorts {
  readonly setup: ClusterSetup;
  readonly installations: Installations;
  /** Requests a sweep, so that pending pods do not wait for the next minute. */
  readonly requestSweep: () => Promise<void>;
  /** `undefined`: the network could not be read. */
  readonly network: () => Promise<ClusterNetwork | undefined>;
  /** `undefined`: zonal shifts are not followed. */
  readonly shiftSource?: ShiftSource;
}

export interface SetupOptions {
  readonly release: string;
  readonly requestedSource: EventSource | 'auto';
  readonly isInVpc: boolean;
  readonly isHookPrivate: boolean;
}

export interface SetupResult {
  readonly installation: Installation;
  readonly unmanagedDefinitions: readonly UnmanagedDefinition[];
}

/** The cluster cannot be served as it is configured. CloudFormation shows the message. */
export class SetupRefusedError extends Error {
  override readonly name = 'SetupRefusedError';
}

/**
 * The API server waits one second for a webhook; a probe that takes longer than this counts as
 * slow.
 */
const SLOW_PROBE_MS = 0.8 * SECOND_MS;
/** Until all API servers use changed webhook configurations. */
const HOOK_PROPAGATION_MS = 10 * SECOND_MS;

/**
 * Installs definitions, roles and webhooks of this release in the cluster. Idempotent.
 *
 * @throws SetupRefusedError - before anything is written
 */
export async function setUpCluster(ports: SetupPorts, options: SetupOptions): Promise<SetupResult> {
  const network = await ports.network();
  const choice = chooseEventSource({ ...options, ...(network && { network }) });
  if (choice.outcome === 'refused') throw new SetupRefusedError(choice.why);
  await requireZonalShiftRegistration(ports);

  const unmanagedDefinitions = await ports.setup.apply();
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
  // Pending pods need not wait for the next scheduled sweep.
  await ports.requestSweep();
  return { installation, unmanagedDefinitions };
}

/**
 * Without a registration no shift would ever be reported, and the option would silently do nothing.
 */
async function requireZonalShiftRegistration({ shiftSource, clock }: SetupPorts): Promise<void> {
  const answer = await shiftSource?.findShifts(clock.now());
  if (answer?.outcome === 'not-registered') throw new SetupRefusedError(NOT_REGISTERED);
}

const NOT_REGISTERED =
  'The cluster is not registered with ARC zonal shift. Register it (aws eks update-cluster-config ' +
  '--name <cluster> --zonal-shift-config enabled=true), or leave out the option enableZonalShift.';

/**
 * Repairs what was removed or changed in the cluster, and rotates an old token. A removal on
 * purpose is respected. Without an installation record, for example after the table was emptied,
 * the cluster is set up again.
 *
 * @throws SetupRefusedError - there is no installation record, and the cluster cannot be served as
 *   it is configured
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

/** Rotates a token that may be compromised. Without webhooks there is nothing to do. */
export async function rotateToken(ports: SetupPorts): Promise<void> {
  const installation = await ports.installations.find();
  if (installation?.hooks.state === 'placed') await placeHooksWithToken(ports, true);
}

/** True if the stack was removed or an operator uninstalled the webhooks. */
const isRemovedOnPurpose = ({ eventSource, hooks }: Installation): boolean =>
  (hooks.state === 'withdrawn' && hooks.by === 'operator') ||
  (hooks.state === 'none' && eventSource === 'hook');

/** Removes the webhooks and records why, so that polling takes over. */
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

/** Places the webhooks again, probes the API server, and disables them again if it is slow. */
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

/**
 * @see ClusterSetup.remove
 */
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
