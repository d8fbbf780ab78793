import type { LeftDefinition } from '../../ports/cluster-setup.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { applyObject, findObject } from './apply-object.ts';
import { crdFate, isEstablished, readCrd, RELEASE, RELEASE_ANNOTATION } from './crd-keeper.ts';
import { type NamedObject, OURS } from './manifest.ts';

/** The API server has taken a definition and does not serve it. */
class CrdNotEstablishedError extends Error {
  override readonly name = 'CrdNotEstablishedError';
  readonly isRetriable = true;

  constructor(crd: string) {
    super(`the API server has taken the definition ${crd} and does not serve it after a minute`);
  }
}

const LOOK_EVERY_MS = 500;
const MOST_LOOKS = 120;

/**
 * Applies the definitions that are absent or ours, and waits until all of those are served.
 *
 * @throws CrdNotEstablishedError
 */
export async function applyCrds(
  api: KubernetesApi,
  crds: readonly NamedObject[],
  sleep: (ms: number) => Promise<unknown>,
): Promise<readonly LeftDefinition[]> {
  const left: LeftDefinition[] = [];
  const applied: NamedObject[] = [];
  for (const crd of crds) {
    const found = await findObject(api, crd);
    const decided = crdFate(found === undefined ? undefined : readCrd(found));
    if (decided.fate === 'leave') {
      left.push({ name: crd.metadata.name, keeper: decided.keeper, isUsable: decided.isUsable });
    } else {
      await applyObject(api, marked(crd));
      applied.push(crd);
    }
  }
  await Promise.all(applied.map((crd) => untilEstablished(api, crd, sleep)));
  return left;
}

const marked = (crd: NamedObject): NamedObject => ({
  ...crd,
  metadata: {
    ...crd.metadata,
    labels: { ...crd.metadata.labels, ...OURS },
    annotations: { ...crd.metadata.annotations, [RELEASE_ANNOTATION]: RELEASE },
  },
});

async function untilEstablished(
  api: KubernetesApi,
  crd: NamedObject,
  sleep: (ms: number) => Promise<unknown>,
): Promise<void> {
  for (let looks = 1; looks <= MOST_LOOKS; looks += 1) {
    const found = await findObject(api, crd);
    if (found !== undefined && isEstablished(readCrd(found))) return;
    await sleep(LOOK_EVERY_MS);
  }
  throw new CrdNotEstablishedError(crd.metadata.name);
}
