import type { ClusterSetup } from '../../ports/cluster-setup.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { applySetup } from './apply-setup.ts';
import type { Patience } from './fresh-access.ts';
import { hookPath, hookUrl } from './hook-url.ts';
import type { NamedObject } from './manifest.ts';
import { hasOtherHooks, placeHooks, withdrawHooks } from './place-hooks.ts';
import { probeHooks } from './probe-hooks.ts';
import { removeSetup } from './remove-setup.ts';

export interface KubernetesSetupParts extends Patience {
  readonly api: KubernetesApi;
}

export interface KubernetesSetupSettings {
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
