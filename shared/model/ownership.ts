import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from './time.ts';

/**
 * How a runtime of ours serves a cluster: as Lambda functions, as one process, or to uninstall
 * itself.
 */
export type OwnerMode = 'lambda' | 'controller' | 'uninstall';

/** A runtime that wants to own a cluster. */
export interface Owner {
  /** The name of the stack, and so of its table. Two stacks do not know each other. */
  readonly stack: string;
  readonly mode: OwnerMode;
  /** Distinguishes processes of one mode; `undefined` for functions, which count as one owner. */
  readonly process?: string;
}

/** The Lease object that names a cluster's owner. */
export interface OwnerLease {
  /** As `formatHolder` writes it; empty if the owner has released the lease. */
  readonly holder: string;
  /** The last holder of a released lease; `undefined` if it is held. */
  readonly releasedBy?: string;
  /** Set after a take-over from another owner: until then nothing is disrupted voluntarily. */
  readonly quietUntil?: EpochMs;
  readonly acquiredAt: EpochMs;
  readonly renewedAt: EpochMs;
  readonly durationMs: number;
  /** The number of times that the cluster has changed owners. */
  readonly transitions: number;
}

export type StandByCause =
  /** Karpenter renews its own lease. */
  | 'karpenter'
  | 'another-stack'
  /** The same stack in another mode or process; it uses the same table. */
  | 'another-process'
  /** The records belong to an earlier cluster of the same name. */
  | 'another-cluster';

export type OwnershipStatus =
  | {
      readonly outcome: 'owner';
      /** Set after a take-over: until then nodes are not consolidated or replaced. */
      readonly quietUntil?: EpochMs;
    }
  | { readonly outcome: 'stand-by'; readonly owner: string; readonly why: StandByCause };

export interface LeaseEvaluation {
  readonly status: OwnershipStatus;
  /** The lease to write first; `undefined` if the stored lease is right already. */
  readonly write?: OwnerLease;
}

/**
 * No voluntary disruption starts for this long after the cluster was taken over from Karpenter or another
 * stack, whose plans are unknown.
 *
 * There is no quiet time between processes and modes of one stack: they share commands, commits and
 * nominations. Nor is there one if the predecessor was silent for longer: what it had decided is done by
 * then, or visible in the cluster (deletion timestamps, taints).
 */
const QUIET_AFTER_HANDOVER_MS = 10 * MINUTE_MS;
/**
 * Karpenter renews its lease every 2 s. During a rollout it is silent for some seconds, and its
 * clock may differ from ours.
 *
 * @see Karpenter, operator options: LeaseDuration 15 s, RetryPeriod 2 s
 */
const KARPENTER_SILENT_MS = MINUTE_MS;
const CLOCK_SLACK_MS = 2 * SECOND_MS;

/** How long an owner may be silent. Functions renew in the sweep, once a minute. */
const DURATION_MS: Readonly<Record<OwnerMode, number>> = {
  lambda: 3 * MINUTE_MS,
  controller: 30 * SECOND_MS,
  // Long enough to delete the stack. After it, functions of a stack that was not deleted take over
  // again. A deployment ends it at once. Other owners need not wait once nothing is left to remove.
  uninstall: DAY_MS,
};

/** Formats `shop/lambda` or `shop/controller/host-4242`. */
const formatHolder = ({ stack, mode, process }: Owner): string =>
  [stack, mode, ...(process === undefined ? [] : [process])].join('/');

export interface LeaseInput {
  readonly self: Owner;
  readonly now: EpochMs;
  /** `undefined` if the cluster never had an owner. */
  readonly lease?: OwnerLease;
  /** `undefined` if Karpenter has no lease in the cluster. */
  readonly karpenterRenewedAt?: EpochMs;
  /** True to take the cluster from another runtime of the same stack. */
  readonly force: boolean;
}

/** Decides which process owns the cluster and how the lease has to change. */
export function evaluateLease(input: LeaseInput): LeaseEvaluation {
  const { self, now, lease, karpenterRenewedAt, force } = input;
  if (karpenterRenewedAt !== undefined && now < karpenterRenewedAt + KARPENTER_SILENT_MS) {
    return standBy('Karpenter', 'karpenter');
  }

  if (lease && isHeldBy(lease, self) && isUnbroken(lease, input)) {
    const write = renewLeaseIfDue(lease, input);
    return { status: toOwnerStatus(lease, now), ...(write && { write }) };
  }
  if (lease && !isHeldBy(lease, self) && isHeld(lease, now)) {
    const isSibling = stackOf(lease.holder) === self.stack;
    if (!isSibling) return standBy(lease.holder, 'another-stack');
    if (!force) return standBy(lease.holder, 'another-process');
  }
  if (lease && self.mode === 'lambda' && isUninstalled(lease, self, now))
    return standBy(lastHolderOf(lease), 'another-process');
  const write = acquireLease(input);
  return { status: toOwnerStatus(write, now), write };
}

/** True if this stack was uninstalled, and its functions run on until it is deleted. */
const isUninstalled = (lease: OwnerLease, { stack }: Owner, now: EpochMs): boolean =>
  stackOf(lastHolderOf(lease)) === stack && findUninstallEnd(lease, now) !== undefined;

export const isHeldBy = ({ holder }: OwnerLease, owner: Owner): boolean => holder === formatHolder(owner);

/**
 * True if Karpenter has not owned the cluster since our last renewal, however long ago that was.
 */
const isUnbroken = (lease: OwnerLease, { karpenterRenewedAt = 0 }: LeaseInput): boolean =>
  karpenterRenewedAt <= lease.renewedAt;

const isHeld = (
  { holder, renewedAt, durationMs }: Pick<OwnerLease, 'holder' | 'renewedAt' | 'durationMs'>,
  now: EpochMs,
): boolean => holder !== '' && now < renewedAt + durationMs + CLOCK_SLACK_MS;

const toOwnerStatus = ({ quietUntil }: OwnerLease, now: EpochMs): OwnershipStatus => ({
  outcome: 'owner',
  ...(quietUntil !== undefined && now < quietUntil && { quietUntil }),
});

const standBy = (owner: string, why: StandByCause): LeaseEvaluation => ({
  status: { outcome: 'stand-by', owner, why },
});

/** When the stand-by that `mortise uninstall` left ends; `undefined` if there is none. */
export function findUninstallEnd(lease: OwnerLease, now: EpochMs): EpochMs | undefined {
  const { renewedAt, durationMs } = lease;
  const holder = lastHolderOf(lease);
  return modeOf(holder) === 'uninstall' && isHeld({ holder, renewedAt, durationMs }, now)
    ? renewedAt + durationMs
    : undefined;
}

const lastHolderOf = ({ holder, releasedBy = '' }: OwnerLease): string => (holder === '' ? releasedBy : holder);

const modeOf = (holder: string): string => holder.split('/')[1] ?? '';

const stackOf = (holder: string): string => holder.split('/')[0] ?? '';

function acquireLease(input: LeaseInput): OwnerLease {
  const { self, now, lease, karpenterRenewedAt } = input;
  const quietUntil = computeQuietEnd(input);
  return {
    holder: formatHolder(self),
    acquiredAt: now,
    renewedAt: now,
    durationMs: DURATION_MS[self.mode],
    // A cluster that we take over from Karpenter has changed owners once.
    transitions: lease ? lease.transitions + 1 : karpenterRenewedAt === undefined ? 0 : 1,
    ...(quietUntil !== undefined && { quietUntil }),
  };
}

/** A restart within the quiet time does not end it. */
function computeQuietEnd(input: LeaseInput): EpochMs | undefined {
  const { self, now, lease, karpenterRenewedAt = 0 } = input;
  if (lease && isUnbroken(lease, input) && isSameOwner(lease, self)) return lease.quietUntil;
  const lastSeenAt = Math.max(karpenterRenewedAt, lease?.renewedAt ?? 0);
  return now < lastSeenAt + QUIET_AFTER_HANDOVER_MS ? now + QUIET_AFTER_HANDOVER_MS : undefined;
}

/** True for functions and controllers of one stack, which take turns. An uninstallation is another owner. */
const isSameOwner = (lease: OwnerLease, { stack, mode }: Owner): boolean => {
  const holder = lastHolderOf(lease);
  const isUninstalling = mode === 'uninstall' || modeOf(holder) === 'uninstall';
  return stackOf(holder) === stack && (!isUninstalling || modeOf(holder) === mode);
};

/** Renews the lease only after a third of its duration, so that not every read causes a write. */
function renewLeaseIfDue(lease: OwnerLease, { self, now }: LeaseInput): OwnerLease | undefined {
  const durationMs = DURATION_MS[self.mode];
  return now < lease.renewedAt + durationMs / 3 ? undefined : { ...lease, renewedAt: now, durationMs };
}

/** Returns the lease without a holder, so that the next runtime can take it at once. */
export const releaseLease = (lease: OwnerLease, now: EpochMs): OwnerLease => ({
  ...lease,
  holder: '',
  releasedBy: lease.holder,
  renewedAt: now,
});

/** Returns the lease of an uninstallation as if no runtime had ever held it. */
export function forgetUninstall(lease: OwnerLease, now: EpochMs): OwnerLease {
  const { releasedBy: _, ...released } = releaseLease(lease, now);
  return released;
}
