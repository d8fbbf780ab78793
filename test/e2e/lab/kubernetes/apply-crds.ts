import { CRDS } from '../../../../shared/api/custom-resources/crds.ts';
import type { Kubectl } from './kubectl.ts';

/** Creates the CRDs of Mortise, and others that a test needs, and waits until they are served. */
export async function applyCrds(kubectl: Kubectl, others: readonly Crd[] = []): Promise<void> {
  const crds = [...CRDS, ...others];
  await kubectl(['apply', '--server-side', '-f', '-'], {
    apiVersion: 'v1',
    kind: 'List',
    items: crds,
  });
  const names = crds.map(({ metadata }) => `crd/${metadata.name}`);
  await kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...names]);
}

interface Crd {
  readonly metadata: { readonly name: string };
}
