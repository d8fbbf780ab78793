import { type EpochMs, MINUTE_MS } from '../time.ts';
import type { Reboot } from './reboot.ts';

/** How long calls that EC2 does not accept are repeated. */
const ISSUE_TIMEOUT_MS = 5 * MINUTE_MS;
/** How long the node may take to be Ready with another boot. */
const RECOVERY_TIMEOUT_MS = 20 * MINUTE_MS;

/** When the node is replaced instead. While the Node is missing, no drain can begin the time for the call. */
export function computeRebootDeadline(
  { issuedAt, fromBoot, requestedAt }: Reboot,
  hasNode: boolean,
): EpochMs | undefined {
  if (issuedAt !== undefined) return issuedAt + RECOVERY_TIMEOUT_MS;
  const since = fromBoot?.at ?? (hasNode ? undefined : requestedAt);
  return since === undefined ? undefined : since + ISSUE_TIMEOUT_MS;
}
