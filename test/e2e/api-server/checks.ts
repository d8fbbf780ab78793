import type { Kubectl } from '../lab/kubernetes/kubectl.ts';

/** What people do with our objects through kubectl, as a fact and how it is seen. */
export type KubectlChecks = Readonly<Record<string, (kubectl: Kubectl) => Promise<void>>>;

/** Writes to the status subresource, as a controller would. */
export async function patchStatus(kubectl: Kubectl, name: string, status: object): Promise<void> {
  const patch = JSON.stringify({ status });
  await kubectl(['patch', name, '--subresource=status', '--type=merge', `-p=${patch}`]);
}

/** @throws Error - it was not refused */
export async function refusalOf(running: Promise<string>): Promise<string> {
  const refusal = await running.then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (refusal !== undefined) return refusal;
  throw new Error('it was not refused');
}
