import type { ClusterSetup, LeftDefinition } from '../../ports/cluster-setup.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { type Patience, withFreshAccess } from './fresh-access.ts';
import { hookPath, hookUrl } from './hook-url.ts';
import type { NamedObject } from './manifest.ts';
import { hasOtherHooks, placeHooks, probeHooks, withdrawHooks } from './place-hooks.ts';
import { removeSetup } from './remove-setup.ts';
import { applyCrds } from './apply-crds.ts';
import { applyObject } from './apply-object.ts';
import { FLOW_SCHEMAS } from './flow-schemas.ts';
import { hookConfiguration, type HookTarget } from './hooks.ts';
import { RBAC } from './rbac.ts';

interface KubernetesSetupParts extends Patience {
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
  { api, ...patience }: KubernetesSetupParts,
  { cluster, crds, hookAddress, certificateAuthorities }: KubernetesSetupSettings,
): ClusterSetup {
  return {
    apply: () => applySetup(api, { crds }, patience),
    placeHooks: async ({ text }) => {
      const url = hookUrl(hookAddress, hookPath(cluster, text));
      await placeHooks(api, { url, certificateAuthorities });
    },
    async withdrawHooks() {
      await withdrawHooks(api);
    },
    hasOtherHooks: () => hasOtherHooks(api),
    probe: () => probeHooks(api, patience.clock),
    remove: () => removeSetup(api, patience.clock),
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
  patience: Patience,
): Promise<readonly LeftDefinition[]> {
  if (hooks) hookConfiguration(hooks);
  const patient = withFreshAccess(api, patience);

  const left = await applyCrds(patient, crds, patience.sleep);
  for (const manifest of [...RBAC, ...FLOW_SCHEMAS]) await applyObject(patient, manifest);
  if (hooks) await placeHooks(patient, hooks);
  return left;
}
