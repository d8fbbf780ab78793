import type { PortsOf } from '../ports/hint-senders.ts';
import type { Ports } from '../ports/ports.ts';
import type { Hint, HintOf } from '../ports/work-queue.ts';
import { reconcileDisruption } from './disruption/reconcile.ts';
import { reconcileInterruption } from './interruption/reconcile.ts';
import { reconcileNodeClaim } from './node-claim/reconcile.ts';
import { reconcileNodeClasses } from './node-class/reconcile.ts';
import type { ProvisioningSettings } from './provisioning/observe-batch.ts';
import { reconcileProvisioning } from './provisioning/reconcile.ts';
import { isCurrentWakeUp } from './support/hints.ts';
import { sweep } from './sweep.ts';

/**
 * Runs the controller that a hint is for. Hints may arrive twice, late or without need
 * (`support/hints.ts`).
 */
export async function dispatch(ports: Ports, hint: Hint, settings?: ProvisioningSettings): Promise<void> {
  switch (hint.topic) {
    case 'plan':
      return reconcileProvisioning(ports, settings);
    case 'claim':
      return dispatchClaim(ports, hint);
    case 'disrupt':
      return reconcileDisruption(ports);
    case 'sweep':
      return sweep(ports, hint.from);
    case 'class':
      return ports.classes && reconcileNodeClasses({ ...ports, classes: ports.classes });
    case 'interruption':
      return reconcileInterruption(ports, hint.notice);
  }
}

/** Reconciles the claim of a hint, unless a later wake-up has replaced it. */
export async function dispatchClaim(ports: PortsOf<'nodeLifecycle'>, hint: HintOf<'claim'>): Promise<void> {
  if (await isCurrentWakeUp(ports, hint)) await reconcileNodeClaim(ports, hint.claim, hint);
}
