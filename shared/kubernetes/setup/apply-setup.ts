import type { KubernetesApi } from '../kubernetes-api.ts';
import { applyCrds, type LeftCrd } from './apply-crds.ts';
import { applyObject } from './apply-object.ts';
import { FLOW_SCHEMAS } from './flow-schemas.ts';
import { type Patience, withFreshAccess } from './fresh-access.ts';
import { type HookTarget, hookConfiguration } from './hooks.ts';
import type { Manifest } from './manifest.ts';
import { placeHooks, withdrawHooks } from './place-hooks.ts';
import { RBAC } from './rbac.ts';

export interface SetupSettings {
  readonly crds: readonly Manifest[];
  /** Absent: the cluster has another event source, and hooks that are there go. */
  readonly hooks?: HookTarget;
}

/** What somebody who sets up a cluster wants to know afterwards. */
export interface SetupReport {
  /** Definitions that are somebody else's. */
  readonly left: readonly LeftCrd[];
}

/**
 * Puts into the cluster all that the functions need there, in an order that never shows half of it:
 * hooks come last, for from then on the API server calls.
 *
 * @throws HookUrlError - before anything is written
 */
export async function applySetup(
  api: KubernetesApi,
  { crds, hooks }: SetupSettings,
  patience: Patience,
): Promise<SetupReport> {
  if (hooks) hookConfiguration(hooks);
  const patient = withFreshAccess(api, patience);

  const left = await applyCrds(patient, crds, patience.sleep);
  for (const manifest of [...RBAC, ...FLOW_SCHEMAS]) await applyObject(patient, manifest);
  await (hooks ? placeHooks(patient, hooks) : withdrawHooks(patient));
  return { left };
}
