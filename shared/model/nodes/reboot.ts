import { DAY_MS, type EpochMs } from '../time.ts';

/** A reboot of an unhealthy node in place, instead of its replacement. */
export interface Reboot {
  /** The condition and its reason, such as `AcceleratedHardwareReady/NvidiaXID46Error`. */
  readonly cause: string;
  readonly requestedAt: EpochMs;
  /** How long the drain may take; the pods that remain then stay on the node. `undefined`: without limit. */
  readonly drainMs?: number;
  /** The drain is over: the boot of the node before EC2 is called, and when the calls begin. */
  readonly fromBoot?: { readonly id: string; readonly at: EpochMs };
  /** When EC2 accepted the call. */
  readonly issuedAt?: EpochMs;
  /** When the node had another boot. */
  readonly bootedAt?: EpochMs;
  /** When the node was Ready again. A reboot that fails has none, because its claim is deleted. */
  readonly endedAt?: EpochMs;
}

/** As Karpenter names it in the condition `Rebooting`. */
export const nameFault = ({
  condition,
  fault,
}: {
  readonly condition: string;
  readonly fault?: string | undefined;
}): string => (fault === undefined ? condition : `${condition}/${fault}`);

/** The part of a NodeClaim that tells about its reboots. */
interface RebootedClaim {
  readonly reboots?: readonly Reboot[];
  readonly deletingAt?: EpochMs;
}

/** The reboot that is under way; `undefined` if there is none. */
export function findReboot({ reboots = [], deletingAt }: RebootedClaim): Reboot | undefined {
  const last = reboots.at(-1);
  return last?.endedAt === undefined && deletingAt === undefined ? last : undefined;
}

export const isRebooting = (claim: RebootedClaim): boolean => findReboot(claim) !== undefined;

/** The claim with changed facts of its last reboot. */
export const withReboot = <C extends RebootedClaim>(claim: C, change: Partial<Reboot>): C => ({
  ...claim,
  reboots: (claim.reboots ?? []).map((reboot, index, { length }) =>
    index === length - 1 ? { ...reboot, ...change } : reboot,
  ),
});

/** @see Karpenter, rebootsBeforeReplacement within rebootHistoryWindow */
const MAX_REBOOTS_PER_DAY = 2;

const listOfLastDay = ({ reboots = [] }: RebootedClaim, now: EpochMs): readonly Reboot[] =>
  reboots.filter(({ requestedAt }) => requestedAt > now - DAY_MS);

/** False once reboots have not ended a fault: then the node is replaced. */
export const mayRebootAgain = (claim: RebootedClaim, now: EpochMs): boolean =>
  listOfLastDay(claim, now).length < MAX_REBOOTS_PER_DAY;

/** The claim with a new reboot; those of the last day stay, because they count. */
export const addReboot = <C extends RebootedClaim>(claim: C, reboot: Reboot): C => ({
  ...claim,
  reboots: [...listOfLastDay(claim, reboot.requestedAt), reboot],
});
