import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from './time.ts';

/** How a home of ours works for a cluster: woken by events, as one process, or to take it apart. */
export type OwnerMode = 'lambda' | 'controller' | 'uninstall';

/** Who asks to be the one that changes a cluster. */
export interface Owner {
  /** Names the stack, and with it the table: two stacks know nothing of each other. */
  readonly stack: string;
  readonly mode: OwnerMode;
  /** Sets processes of one mode apart; absent for functions, which count as one. */
  readonly process?: string;
}

/** The Lease that names a cluster's owner, as stored. */
export interface OwnerLease {
  /** As `formatHolder` writes it; empty: let go. */
  readonly holder: string;
  readonly acquiredAt: EpochMs;
  readonly renewedAt: EpochMs;
  readonly durationMs: number;
  /** How often the cluster has changed hands. */
  readonly transitions: number;
}

export type StandByCause =
  /** Karpenter's own lease is kept fresh. */
  | 'karpenter'
  | 'another-stack'
  /** The same stack, by another mode or process: it sees the same table. */
  | 'another-home'
  /** The records are of a cluster of the same name that was there before. */
  | 'another-cluster';

export type OwnershipStatus =
  | {
      readonly outcome: 'owner';
      /** Just taken over: until then nothing is moved that could stay. */
      readonly calmUntil?: EpochMs;
    }
  | { readonly outcome: 'stand-by'; readonly owner: string; readonly why: StandByCause };

export interface LeaseEvaluation {
  readonly status: OwnershipStatus;
  /** What to write first; absent: the lease says so already. */
  readonly write?: OwnerLease;
}

/** A fresh owner knows neither why things are as they are, nor what was about to happen. */
const CALM_MS = 10 * MINUTE_MS;
/**
 * Karpenter renews every 2 s. While it is rolled out nobody holds its lease for some seconds, and
 * its clock is not ours.
 *
 * @see Karpenter, operator options: LeaseDuration 15 s, RetryPeriod 2 s
 */
const KARPENTER_SILENT_MS = MINUTE_MS;
const CLOCK_SLACK_MS = 2 * SECOND_MS;

/** How long a holder may be silent. Functions sleep between the sweeps of every minute. */
const DURATION_MS: Readonly<Record<OwnerMode, number>> = {
  lambda: 3 * MINUTE_MS,
  controller: 30 * SECOND_MS,
  // Long enough for the stack to be deleted; forgotten, the cluster gets its nodes again.
  uninstall: DAY_MS,
};

/** `shop/lambda`, `shop/controller/host-4242`. */
const formatHolder = ({ stack, mode, process }: Owner): string =>
  [stack, mode, ...(process === undefined ? [] : [process])].join('/');

export interface LeaseInput {
  readonly self: Owner;
  readonly now: EpochMs;
  /** Absent: nobody has ever owned the cluster. */
  readonly lease?: OwnerLease;
  /** Absent: Karpenter has no lease here. */
  readonly karpenterRenewedAt?: EpochMs;
  /** Whether to take the cluster from another home of the same stack. */
  readonly force: boolean;
}

/** Who owns the cluster, and what the lease has to say for it. */
export function evaluateLease(input: LeaseInput): LeaseEvaluation {
  const { self, now, lease, karpenterRenewedAt, force } = input;
  if (karpenterRenewedAt !== undefined && now < karpenterRenewedAt + KARPENTER_SILENT_MS) {
    return standBy('Karpenter', 'karpenter');
  }

  if (lease && isHeldBy(lease, self) && isUnbroken(lease, input)) {
    const write = renewLeaseIfDue(lease, input);
    return { status: toOwnerStatus(lease, now), ...(write ? { write } : {}) };
  }
  if (lease && !isHeldBy(lease, self) && isHeld(lease, now)) {
    const isSibling = stackOf(lease.holder) === self.stack;
    if (!isSibling) return standBy(lease.holder, 'another-stack');
    if (!force) return standBy(lease.holder, 'another-home');
  }
  const write = acquireLease(input);
  return { status: toOwnerStatus(write, now), write };
}

export const isHeldBy = ({ holder }: OwnerLease, owner: Owner): boolean =>
  holder === formatHolder(owner);

/** However long we were silent: whoever owned the cluster meanwhile would have left a trace. */
const isUnbroken = (lease: OwnerLease, { karpenterRenewedAt = 0 }: LeaseInput): boolean =>
  karpenterRenewedAt <= lease.renewedAt;

const isHeld = ({ holder, renewedAt, durationMs }: OwnerLease, now: EpochMs): boolean =>
  holder !== '' && now < renewedAt + durationMs + CLOCK_SLACK_MS;

function toOwnerStatus({ transitions, acquiredAt }: OwnerLease, now: EpochMs): OwnershipStatus {
  const calmUntil = acquiredAt + CALM_MS;
  const isCalm = transitions > 0 && now < calmUntil;
  return { outcome: 'owner', ...(isCalm ? { calmUntil } : {}) };
}

const standBy = (owner: string, why: StandByCause): LeaseEvaluation => ({
  status: { outcome: 'stand-by', owner, why },
});

const stackOf = (holder: string): string => holder.split('/')[0] ?? '';

const acquireLease = ({ self, now, lease, karpenterRenewedAt }: LeaseInput): OwnerLease => ({
  holder: formatHolder(self),
  acquiredAt: now,
  renewedAt: now,
  durationMs: DURATION_MS[self.mode],
  // Taken from Karpenter it is in its second hands from the start.
  transitions: lease ? lease.transitions + 1 : karpenterRenewedAt === undefined ? 0 : 1,
});

/** Only when a third of its time is over, so that not every look is a write. */
function renewLeaseIfDue(lease: OwnerLease, { self, now }: LeaseInput): OwnerLease | undefined {
  const durationMs = DURATION_MS[self.mode];
  return now < lease.renewedAt + durationMs / 3
    ? undefined
    : { ...lease, renewedAt: now, durationMs };
}

/** The lease after its holder stopped: whoever asks next gets it. */
export const releaseLease = (lease: OwnerLease, now: EpochMs): OwnerLease => ({
  ...lease,
  holder: '',
  renewedAt: now,
});
