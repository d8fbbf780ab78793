import type { ClusterSetup, UnmanagedDefinition } from '../../ports/cluster-setup.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { type RetryTiming, withAccessRetries } from './access-retries.ts';
import { applyCrds } from './apply-crds.ts';
import { applyObject } from './apply-object.ts';
import { FLOW_SCHEMAS } from './flow-schemas.ts';
import { hookPath, hookUrl } from './hook-url.ts';
import { type HookTarget, toHookConfiguration } from './hooks.ts';
import type { NamedObject } from './manifest.ts';
import { hasOtherHooks, placeHooks, probeHooks, withdrawHooks } from './place-hooks.ts';
import { RBAC } from './rbac.ts';
import { removeSetup } from './remove-setup.ts';

interface KubernetesSetupParts extends RetryTiming {
  readonly api: KubernetesApi;
}

interface KubernetesSetupSettings {
  readonly cluster: string;
  readonly crds: readonly NamedObject[];
  /** Where the API server reaches the intake: `https://host/`. */
  readonly hookAddress: string;
  /** Who may vouch for that host, PEM. */
  readonly certificateAuthorities: string;
}

export function kubernetesSetup(
  { api, ...timing }: KubernetesSetupParts,
  { cluster, crds, hookAddress, certificateAuthorities }: KubernetesSetupSettings,
): ClusterSetup {
  return {
    apply: () => applySetup(api, { crds }, timing),
    placeHooks: async ({ text }) => {
      const url = hookUrl(hookAddress, hookPath(cluster, text));
      await placeHooks(api, { url, certificateAuthorities });
    },
    async withdrawHooks() {
      await withdrawHooks(api);
    },
    hasOtherHooks: () => hasOtherHooks(api),
    probe: () => probeHooks(api, timing.clock),
    remove: () => removeSetup(api, timing.clock),
  };
}

interface SetupSettings {
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
  timing: RetryTiming,
): Promise<readonly UnmanagedDefinition[]> {
  if (hooks) toHookConfiguration(hooks);
  const retryingApi = withAccessRetries(api, timing);

  const foreignCrds = await applyCrds(retryingApi, crds, timing.sleep);
  for (const manifest of [...RBAC, ...FLOW_SCHEMAS]) await applyObject(retryingApi, manifest);
  if (hooks) await placeHooks(retryingApi, hooks);
  return foreignCrds;
}
