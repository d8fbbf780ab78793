import * as z from 'zod';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { applyObject, findObject } from './apply-object.ts';
import { BINDINGS, type PolicyRule, ROLES, type RoleManifest } from './rbac.ts';
import { CONTROL_BINDING, CONTROL_ROLE, SETUP_ROLE, setupBinding } from './setup-rbac.ts';

const uidSchema = z.object({ metadata: z.object({ uid: z.string() }) });

const texts = z.array(z.string());
const ruleSchema = z.object({
  apiGroups: texts.exactOptional(),
  resources: texts.exactOptional(),
  verbs: texts,
  resourceNames: texts.exactOptional(),
});
const rolesRulesSchema = z.object({
  rules: z
    .array(ruleSchema)
    .nullish()
    .transform((rules) => rules ?? []),
});

/**
 * Writes the rules of the roles.
 *
 * @param keepsOldRules - adds our rules to those that a role has. During a deployment functions of
 *   the previous release still run and may need them; the hourly run removes them.
 */
export async function applyRoles(api: KubernetesApi, keepsOldRules: boolean): Promise<void> {
  for (const role of ROLES) {
    await applyObject(api, keepsOldRules ? await withOldRules(api, role) : role);
  }
}

async function withOldRules(api: KubernetesApi, role: RoleManifest): Promise<RoleManifest> {
  const live = await findObject(api, role);
  if (live === undefined) return role;
  const ownKeys = new Set(role.rules.map(ruleKey));
  const old = rolesRulesSchema.parse(live).rules.filter((rule) => !ownKeys.has(ruleKey(rule)));
  return { ...role, rules: [...role.rules, ...old] };
}

const ruleKey = (rule: PolicyRule): string =>
  JSON.stringify([rule.apiGroups, rule.resources, rule.verbs, rule.resourceNames]);

/** Binds each function's role to its group. */
export async function applyBindings(api: KubernetesApi): Promise<void> {
  for (const binding of BINDINGS) await applyObject(api, binding);
}

/** Writes the rights of the set-up itself, which only an administrator may do. */
export async function applySetupRights(api: KubernetesApi): Promise<void> {
  const { metadata } = uidSchema.parse(await applyObject(api, SETUP_ROLE));
  await applyObject(api, setupBinding(metadata.uid));
  await applyObject(api, CONTROL_ROLE);
  await applyObject(api, CONTROL_BINDING);
}
