import type { Kubectl } from '../lab/kubernetes/kubectl.ts';

/** Checks of our objects through kubectl: each title states a fact, each function verifies it. */
export type KubectlChecks = Readonly<Record<string, (kubectl: Kubectl) => Promise<void>>>;

/** Writes the status subresource, as a controller does. */
export async function patchStatus(kubectl: Kubectl, name: string, status: object): Promise<void> {
  const patch = JSON.stringify({ status });
  await kubectl(['patch', name, '--subresource=status', '--type=merge', `-p=${patch}`]);
}

/**
 * Returns the error text of a kubectl call that must be refused.
 *
 * @throws Error - the call was not refused
 */
export async function refusalOf(running: Promise<string>): Promise<string> {
  const refusal = await running.then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (refusal !== undefined) return refusal;
  throw new Error('it was not refused');
}
