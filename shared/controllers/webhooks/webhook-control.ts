import { SECOND_MS } from '../../model/time.ts';
import type { ClusterSetup, HooksState, Installation, Installations } from '../../ports/cluster-setup.ts';
import type { Clock } from '../../ports/ports.ts';
import { placeHooksWithToken, type TokenPorts } from './token-rotation.ts';

/** Ports to keep, withdraw and restore the webhooks of an installed cluster. */
export interface WebhookControlPorts extends TokenPorts {
  readonly setup: Omit<ClusterSetup, 'apply' | 'endUninstall' | 'remove'>;
  readonly installations: Installations;
  /** Has the cluster set up again; the next hour repeats a lost request. */
  readonly requestSetup: () => Promise<void>;
}

/**
 * The API server waits one second for a webhook; a probe that takes longer than this counts as
 * slow.
 */
const SLOW_PROBE_MS = 0.8 * SECOND_MS;
/** Until all API servers use changed webhook configurations. */
const HOOK_PROPAGATION_MS = 10 * SECOND_MS;

/**
 * Repairs bindings and webhooks that were removed or changed, and rotates an old token. A removal
 * on purpose is respected.
 */
export async function keepHooks(ports: WebhookControlPorts): Promise<void> {
  const installation = await ports.installations.find();
  if (!installation) return ports.requestSetup();
  if (isRemovedOnPurpose(installation)) return;

  await ports.setup.applyBindings();
  if (installation.hooks.state !== 'placed') return;
  await placeHooksWithToken(ports);
  const hasOtherHooks = await ports.setup.hasOtherHooks();
  if (hasOtherHooks === installation.hasOtherHooks) return;
  await ports.installations.save({ ...installation, hasOtherHooks });
}

/** Rotates a token that may be compromised. Without webhooks there is nothing to do. */
export async function rotateToken(ports: WebhookControlPorts): Promise<void> {
  const installation = await ports.installations.find();
  if (installation?.hooks.state === 'placed') await placeHooksWithToken(ports, true);
}

/** True if the stack was removed or an operator uninstalled the webhooks. */
export const isRemovedOnPurpose = ({ eventSource, hooks }: Installation): boolean =>
  (hooks.state === 'withdrawn' && hooks.by === 'operator') || (hooks.state === 'none' && eventSource === 'hook');

/** Removes the webhooks and records why, so that polling takes over. */
export async function disableHooks(
  {
    setup,
    installations,
    clock,
  }: Pick<WebhookControlPorts, 'installations' | 'clock'> & {
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
export async function restoreHooks(ports: WebhookControlPorts): Promise<void> {
  const installation = await ports.installations.find();
  if (installation?.hooks.state !== 'withdrawn') return;

  await placeHooksWithToken(ports);
  await ports.sleep(HOOK_PROPAGATION_MS);
  if (await isProbeQuick(ports)) await ports.installations.save({ ...installation, hooks: toPlacedState(ports) });
}

/** Probes the API server and disables the webhooks if it is slow. */
export async function probeHooks(ports: WebhookControlPorts): Promise<void> {
  const installation = await ports.installations.find();
  if (installation?.hooks.state === 'placed') await isProbeQuick(ports);
}

async function isProbeQuick(ports: WebhookControlPorts): Promise<boolean> {
  const tookMs = await ports.setup.probe();
  if (tookMs < SLOW_PROBE_MS) return true;
  const why = `a probe took ${Math.round(tookMs)} ms`;
  await disableHooks(ports, { by: 'breaker', why });
  return false;
}

export const toPlacedState = ({ clock }: { readonly clock: Clock }): HooksState => ({
  state: 'placed',
  since: clock.now(),
});
