import { DAY_MS, SECOND_MS } from '../../model/time.ts';
import type { ClusterSetup, HookIntake, HookToken, HookTokens } from '../../ports/cluster-setup.ts';
import type { Clock } from '../../ports/ports.ts';

export interface TokenPorts {
  readonly clock: Clock;
  readonly tokens: HookTokens;
  readonly intake: HookIntake;
  readonly setup: Pick<ClusterSetup, 'placeHooks'>;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** The API server writes the token to its logs when a call fails, so it is valid for a week only. */
const ROTATE_AFTER_MS = 7 * DAY_MS;
/** API servers apply changed webhooks some seconds later, and calls may still be under way. */
const OVERLAP_MS = 60 * SECOND_MS;

/**
 * Places the webhooks with a valid token, and rotates a token that is old or was half rotated. The
 * intake always accepts the token that the API server uses, even after a crash half-way.
 *
 * @param isExposed - rotates the token regardless of its age
 */
export async function placeHooksWithToken(ports: TokenPorts, isExposed = false): Promise<void> {
  const { current, next } = await ports.tokens.read();
  if (next) return replaceToken(ports, current, next);
  if (isExposed || isDue(current, ports)) return replaceToken(ports, current, await ports.tokens.propose());

  await ports.intake.admit([current]);
  await ports.setup.placeHooks(current);
}

const isDue = ({ createdAt }: HookToken, { clock }: TokenPorts): boolean => clock.now() >= createdAt + ROTATE_AFTER_MS;

async function replaceToken(
  { tokens, intake, setup, sleep }: TokenPorts,
  current: HookToken,
  next: HookToken,
): Promise<void> {
  await intake.admit([current, next]);
  await setup.placeHooks(next);
  await sleep(OVERLAP_MS);
  await tokens.promote();
  await intake.admit([next]);
}
