import type { UnmanagedDefinition } from '../../ports/cluster-setup.ts';
import type { NamedObject } from '../client/json.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { applyObject, findObject } from './apply-object.ts';
import {
  decideCrdOwnership,
  isEstablished,
  RELEASE,
  RELEASE_ANNOTATION,
  readCrd,
  versionOfOwnCrd,
} from './crd-ownership.ts';
import { OWNERSHIP_LABELS } from './manifest.ts';

/** The API server accepted a CRD and does not serve it. */
class CrdNotEstablishedError extends Error {
  override readonly name = 'CrdNotEstablishedError';
  readonly isRetriable = true;

  constructor(crd: string) {
    super(`the API server has taken the definition ${crd} and does not serve it after a minute`);
  }
}

const CHECK_EVERY_MS = 500;
const MAX_CHECKS = 120;

/**
 * Applies the CRDs that are missing or ours, and waits until the API server serves them.
 *
 * @returns CRDs that another tool manages; they stay as they are
 * @throws CrdNotEstablishedError
 */
export async function applyCrds(
  api: KubernetesApi,
  crds: readonly NamedObject[],
  sleep: (ms: number) => Promise<unknown>,
): Promise<readonly UnmanagedDefinition[]> {
  const foreignCrds: UnmanagedDefinition[] = [];
  const applied: NamedObject[] = [];
  for (const crd of crds) {
    const existing = await findObject(api, crd);
    const version = versionOfOwnCrd(crd);
    const live = existing === undefined ? undefined : readCrd(existing);
    const ownership = decideCrdOwnership(live, version);
    if (ownership.action === 'leave') {
      foreignCrds.push({
        name: crd.metadata.name,
        keeper: ownership.keeper,
        version,
        isUsable: ownership.isUsable,
      });
    } else {
      await applyObject(api, withOwnershipLabels(crd));
      applied.push(crd);
    }
  }
  await Promise.all(applied.map((crd) => waitUntilEstablished(api, crd, sleep)));
  return foreignCrds;
}

const withOwnershipLabels = (crd: NamedObject): NamedObject => ({
  ...crd,
  metadata: {
    ...crd.metadata,
    labels: { ...crd.metadata.labels, ...OWNERSHIP_LABELS },
    annotations: { ...crd.metadata.annotations, [RELEASE_ANNOTATION]: RELEASE },
  },
});

async function waitUntilEstablished(
  api: KubernetesApi,
  crd: NamedObject,
  sleep: (ms: number) => Promise<unknown>,
): Promise<void> {
  for (let checks = 1; checks <= MAX_CHECKS; checks += 1) {
    const existing = await findObject(api, crd);
    if (existing !== undefined && isEstablished(readCrd(existing))) return;
    await sleep(CHECK_EVERY_MS);
  }
  throw new CrdNotEstablishedError(crd.metadata.name);
}
