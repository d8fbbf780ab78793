import type { LeftDefinition } from '../../ports/cluster-setup.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { applyCrds } from './apply-crds.ts';
import { applyObject } from './apply-object.ts';
import { FLOW_SCHEMAS } from './flow-schemas.ts';
import { type Patience, withFreshAccess } from './fresh-access.ts';
import { type HookTarget, hookConfiguration } from './hooks.ts';
import type { NamedObject } from './manifest.ts';
import { placeHooks } from './place-hooks.ts';
import { RBAC } from './rbac.ts';

export interface SetupSettings {
  readonly crds: readonly NamedObject[];
  /** Absent: hooks stay as they are. */
  readonly hooks?: HookTarget;
}

/**
 * Puts into the cluster all that the functions need there, in an order that never shows half of it:
 * hooks come last, for from then on the API server calls.
 *
 * @returns definitions that are somebody else's
 * @throws HookUrlError - before anything is written
 */
export async function applySetup(
  api: KubernetesApi,
  { crds, hooks }: SetupSettings,
  patience: Patience,
): Promise<readonly LeftDefinition[]> {
  if (hooks) hookConfiguration(hooks);
  const patient = withFreshAccess(api, patience);

  const left = await applyCrds(patient, crds, patience.sleep);
  for (const manifest of [...RBAC, ...FLOW_SCHEMAS]) await applyObject(patient, manifest);
  if (hooks) await placeHooks(patient, hooks);
  return left;
}
