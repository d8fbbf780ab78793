import { MINUTE_MS } from '../../model/time.ts';
import type { ShiftSource } from '../../ports/cloud.ts';
import type {
  AdministratorAccess,
  ClusterNetwork,
  ClusterSetup,
  EventSource,
  IdentityRemoval,
  Installation,
  Installations,
  NodeIdentities,
  RemovalReport,
  UnmanagedDefinition,
} from '../../ports/cluster-setup.ts';
import { placeHooksWithToken, type TokenPorts } from './token-rotation.ts';
import { isRemovedOnPurpose, toPlacedState } from './webhook-control.ts';

export interface SetupPorts extends TokenPorts {
  readonly setup: ClusterSetup;
  readonly administrator: AdministratorAccess;
  readonly installations: Installations;
  readonly nodeIdentities: NodeIdentities;
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
  /** Why this source is requested; undefined if the options say so. */
  readonly reason?: string;
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

/** An older policy was left by a deployment that failed, or an administrator associated it. */
const LEFT_OVER_MS = 15 * MINUTE_MS;

/**
 * Installs definitions, roles and webhooks of this release in the cluster. Idempotent. Ends our
 * rights of an administrator, if the deployment gave them.
 *
 * @throws SetupRefusedError - before anything is written
 */
export async function setUpCluster(ports: SetupPorts, options: SetupOptions): Promise<SetupResult> {
  const network = await ports.network();
  const choice = chooseEventSource({ ...options, ...(network && { network }) });
  if (choice.outcome === 'refused') throw new SetupRefusedError(choice.why);
  await requireZonalShiftRegistration(ports);

  const isAdministrator = (await ports.administrator.heldSince()) !== undefined;
  const unmanagedDefinitions = await ports.setup.apply({ isAdministrator, keepsOldRules: true });
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
  if (isAdministrator) await ports.setup.endUninstall();
  // Pending pods need not wait for the next scheduled sweep.
  await ports.requestSweep();
  // Last, so that a failed deployment can be repeated with the same rights.
  if (isAdministrator) await ports.administrator.end();
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
 * Repairs what was removed or changed in the cluster, besides bindings and webhooks. A removal on
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

  const since = await ports.administrator.heldSince();
  // A newer policy belongs to a deployment under way, which ends it.
  const isAdministrator = since !== undefined && ports.clock.now() >= since + LEFT_OVER_MS;
  await ports.setup.apply({ isAdministrator, keepsOldRules: false });
  if (isAdministrator) await ports.administrator.end();
}

/**
 * Removes our objects from the cluster, and the identities of nodes if no node runs. Never fails for
 * want of a cluster: a stack must be removable after it.
 *
 * @see ClusterSetup.remove
 */
export async function removeCluster({
  setup,
  installations,
  nodeIdentities,
}: Pick<SetupPorts, 'setup' | 'installations' | 'nodeIdentities'>): Promise<
  RemovalReport & { readonly identities: IdentityRemoval }
> {
  const report = await setup.remove();
  const installation = await installations.find();
  if (installation) await installations.save({ ...installation, hooks: { state: 'none' } });
  return { ...report, identities: await removeIdentities(report, nodeIdentities) };
}

/** A cluster that cannot be reached may be gone: then EC2 alone tells whether an instance runs. */
async function removeIdentities(
  { isHandedOver, runningNodes = [] }: RemovalReport,
  nodeIdentities: NodeIdentities,
): Promise<IdentityRemoval> {
  if (isHandedOver || runningNodes.length > 0) return { outcome: 'needed' };
  try {
    const kept = await nodeIdentities.removeUnused();
    return kept ? { outcome: 'kept', ...kept } : { outcome: 'removed' };
  } catch (error) {
    return { outcome: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

export interface EventSourceOptions {
  readonly requestedSource: EventSource | 'auto';
  /** Why this source is requested; undefined if the options say so. */
  readonly reason?: string;
  /** `undefined`: the network could not be read. */
  readonly network?: ClusterNetwork;
  /** True if our functions run in the cluster's VPC. */
  readonly isInVpc: boolean;
  /** True if the webhook address belongs to the cluster's VPC. */
  readonly isHookPrivate: boolean;
}

type EventSourceChoice =
  | { readonly outcome: 'chosen'; readonly source: EventSource; readonly why: string }
  /** The cluster cannot be served in this network. */
  | { readonly outcome: 'refused'; readonly why: string };

/**
 * @see EKS user guide, egress modes of the control plane
 */
const OUT_OF_REACH =
  "the hooks' address is private, and the control plane calls out through the network of EKS (egress mode AWS_MANAGED), which does not reach it";

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0/0', '::/0']);

/**
 * Chooses how Mortise learns of pending pods, and gives the reason; or the reason why it cannot be
 * deployed.
 */
export function chooseEventSource({
  requestedSource,
  reason = `The option eventSource says so: ${requestedSource}.`,
  network,
  isInVpc,
  isHookPrivate,
}: EventSourceOptions): EventSourceChoice {
  const obstacle = network && !isInVpc ? findNetworkObstacle(network) : undefined;
  if (obstacle !== undefined) return { outcome: 'refused', why: obstacle };

  const isIsolated = network?.egress === 'customer-isolated';
  if (requestedSource === 'hook' && isIsolated) {
    return {
      outcome: 'refused',
      why: "The option eventSource is hook, but the cluster's control plane cannot call out: its egress mode is CUSTOMER_ISOLATED. Use poll.",
    };
  }
  const isOutOfReach = isHookPrivate && network?.egress === 'aws-managed';
  if (requestedSource === 'hook' && isOutOfReach) {
    return {
      outcome: 'refused',
      why: `The option eventSource is hook, but ${OUT_OF_REACH}. Leave hookVpcEndpoint out, or use poll.`,
    };
  }
  if (requestedSource !== 'auto') return toChoice(requestedSource, reason);
  if (isIsolated) {
    return toChoice('poll', "The cluster's control plane cannot call out: CUSTOMER_ISOLATED.");
  }
  if (isOutOfReach) return toChoice('poll', `Hooks cannot call: ${OUT_OF_REACH}.`);
  if (!network) return toChoice('hook', 'Nothing is known against it: the network was not looked at.');
  return network.egress === 'customer-routed'
    ? toChoice('hook', "The control plane calls out through the cluster's own VPC, which needs a route.")
    : toChoice('hook', 'The control plane calls out through the network of EKS.');
}

const toChoice = (source: EventSource, why: string): EventSourceChoice => ({
  outcome: 'chosen',
  source,
  why,
});

/** Functions outside of a VPC have no fixed address for an allow-list. */
function findNetworkObstacle({ isPublic, publicCidrs }: ClusterNetwork): string | undefined {
  const remedy = 'give the options functionSubnets and functionSecurityGroups, so that the functions run in its VPC';
  if (!isPublic) return `The API server is private to its VPC: ${remedy}.`;
  if (publicCidrs.some((cidr) => ANY_ADDRESS.has(cidr))) return undefined;
  return `The API server answers only to ${publicCidrs.join(', ')}, and functions have no fixed address: ${remedy}, or open it to 0.0.0.0/0.`;
}
