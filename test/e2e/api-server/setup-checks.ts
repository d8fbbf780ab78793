import { CRDS } from '../../../shared/api/custom-resources/crds.ts';
import { createHttpTransport } from '../../../shared/kubernetes/client/http-transport.ts';
import { createKubernetesApi, type KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { kubernetesOwnership } from '../../../shared/kubernetes/kubernetes-ownership.ts';
import { applyObject, deleteObject, findObject } from '../../../shared/kubernetes/setup/apply-object.ts';
import { applyBindings } from '../../../shared/kubernetes/setup/apply-rbac.ts';
import { applySetup } from '../../../shared/kubernetes/setup/kubernetes-setup.ts';
import { placeHooks, withdrawHooks } from '../../../shared/kubernetes/setup/place-hooks.ts';
import { BINDINGS, clusterRole, clusterRoleBinding, ROLES } from '../../../shared/kubernetes/setup/rbac.ts';
import { removeSetup } from '../../../shared/kubernetes/setup/remove-setup.ts';
import { CONTROL_ROLE, SETUP_ROLE, setupBinding } from '../../../shared/kubernetes/setup/setup-rbac.ts';
import type { ControlPlane } from '../lab/kubernetes/control-plane.ts';
import { ADMIN, CLUSTER_SETUP, CONTROLLER, type User, WEBHOOK_CONTROL } from '../lab/kubernetes/kubernetes-files.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect } from '../scenario.ts';
import { refusalOf } from './checks.ts';
import { checkFlows } from './flow-checks.ts';
import { checkDeletedPod, checkRefusedEviction } from './pod-checks.ts';

/** The API server as an administrator, the set-up and webhook control see it. */
interface Callers {
  readonly admin: KubernetesApi;
  readonly setup: KubernetesApi;
  readonly control: KubernetesApi;
  readonly controller: KubernetesApi;
  readonly controlPlane: ControlPlane;
}

const clock = { now: () => Date.now() };
const timing = { clock, sleep: async () => undefined };
const HOOKS = { url: 'https://127.0.0.1:1/h/lab/t', certificateAuthorities: '' };

const install = (api: KubernetesApi, isAdministrator: boolean, keepsOldRules = true) =>
  applySetup(api, { crds: CRDS, isAdministrator, keepsOldRules }, timing);

const SECRETS = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const sweepRole = ROLES.find(({ metadata }) => metadata.name === 'mortise-sweep') ?? SETUP_ROLE;
const withSecrets = { ...sweepRole, rules: [...sweepRole.rules, SECRETS] };

async function mustRefuse(title: string, running: Promise<unknown>): Promise<void> {
  const refusal = await refusalOf(running.then(String));
  expect(refusal.includes('not allowed'), `${title}: ${refusal}`);
}

/** The rights of the two functions on a real API server, in this order. */
const CHECKS: Readonly<Record<string, (callers: Callers) => Promise<void>>> = {
  'the set-up installs everything as an administrator, and nothing before': async ({ admin, setup }) => {
    await mustRefuse('first role', applyObject(setup, sweepRole));
    await install(admin, true);
  },

  'drains wait behind no list of others, and lists of the whole cluster do': ({ admin, controlPlane }) =>
    checkFlows(controlPlane, admin),

  'a pod that is being deleted is not pending': ({ admin }) => checkDeletedPod(admin),

  'a refused eviction does not keep the other pods on their node': ({ admin }) => checkRefusedEviction(admin),

  'the lease of the owner is written in kube-system, and no other anywhere': async ({ controller }) => {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    const create = (namespace: string, name: string) =>
      controller.read({
        verb: 'create',
        resource: 'leases',
        path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
        body: { ...lease, metadata: { name } },
      });
    await mustRefuse('a lease in another namespace', create('default', 'mortise'));
    const self = { stack: 'lab', mode: 'controller' } as const;
    const ownership = kubernetesOwnership({ api: controller, clock, self });
    expect((await ownership.takeOver()).outcome === 'owner', 'the lease was not written');
    await ownership.release();
  },

  'the set-up repairs definitions, roles and priorities without being an administrator': async ({ setup }) => {
    await deleteObject(setup, sweepRole);
    await install(setup, false, false);
    expect((await findObject(setup, sweepRole)) !== undefined, 'the role is not there again');
  },

  'an older or newer release gives the functions a new rule without being an administrator': async ({ setup }) => {
    await applyObject(setup, withSecrets);
    await install(setup, false, true);
    const kept = JSON.stringify(await findObject(setup, sweepRole));
    await install(setup, false, false);
    const exact = JSON.stringify(await findObject(setup, sweepRole));
    expect(kept.includes('secrets') && !exact.includes('secrets'), 'old rules: kept, then removed');
  },

  'a release with a new function needs the administrator of its deployment': async ({ admin, setup }) => {
    const role = clusterRole('mortise-novel', sweepRole.rules);
    const binding = clusterRoleBinding('mortise-novel', 'mortise:novel');
    await mustRefuse('new role', applyObject(setup, role));
    for (const object of [role, binding]) await applyObject(admin, object);
    for (const object of [binding, role]) await deleteObject(admin, object);
  },

  'the set-up cannot give itself a right': async ({ setup }) => {
    const more = { ...SETUP_ROLE, rules: [...SETUP_ROLE.rules, SECRETS] };
    await mustRefuse('own rules', applyObject(setup, more));
    await mustRefuse('own binding', applyObject(setup, setupBinding('1')));
    for (const binding of BINDINGS) {
      const toItself = { ...binding, subjects: [{ kind: 'User', name: CLUSTER_SETUP.name }] };
      await mustRefuse(binding.metadata.name, applyObject(setup, toItself));
    }
    await mustRefuse('cluster-admin', applyObject(setup, toAdmin(CLUSTER_SETUP)));
    await mustRefuse('another role', applyObject(setup, clusterRole('other', [SECRETS])));
    await mustRefuse('secrets', readSecrets(setup));
  },

  'webhook control restores bindings and webhooks': async ({ control, setup }) => {
    for (const binding of BINDINGS) await deleteObject(setup, binding);
    await applyBindings(control);
    await placeHooks(control, HOOKS);
    await withdrawHooks(control);
    await placeHooks(control, HOOKS);
  },

  'webhook control cannot give itself a right': async ({ admin, control }) => {
    const more = { ...CONTROL_ROLE, rules: [...CONTROL_ROLE.rules, SECRETS] };
    await mustRefuse('own rules', applyObject(control, more));
    await mustRefuse('rules of a function', applyObject(control, withSecrets));
    const likeSetup = clusterRoleBinding(SETUP_ROLE.metadata.name, 'mortise:webhook-control');
    await mustRefuse('role of the set-up', applyObject(control, likeSetup));
    // The name of the binding is ours, and the role is not.
    const ours = clusterRoleBinding('mortise-poll', 'mortise:webhook-control');
    await deleteObject(admin, ours);
    const other = { ...ours, roleRef: toAdmin(WEBHOOK_CONTROL).roleRef };
    await mustRefuse('role of a binding', applyObject(control, other));
    await mustRefuse('cluster-admin', applyObject(control, toAdmin(WEBHOOK_CONTROL)));
    await mustRefuse('secrets', readSecrets(control));
  },

  'the set-up removes everything of ours, its own rights last': async ({ admin, setup }) => {
    const report = await removeSetup(setup, clock);
    expect(report.orphans.length === 0, `${report.why}: ${report.orphans.join()}`);
    for (const object of [...ROLES, ...BINDINGS, SETUP_ROLE, CONTROL_ROLE])
      expect((await findObject(admin, object)) === undefined, `${object.metadata.name} is left`);
    await waitUntil('the garbage collector to delete the binding of the set-up', async () => {
      return (await findObject(admin, setupBinding('1'))) === undefined;
    });
  },
};

const toAdmin = ({ name }: User) => ({
  ...clusterRoleBinding('mortise-poll', 'mortise:poll'),
  metadata: { name: 'mine' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
});

const readSecrets = (api: KubernetesApi): Promise<unknown> =>
  api.read({ verb: 'list', resource: 'secrets', path: '/api/v1/secrets' });

/** @returns what is wrong */
export async function checkSetup(controlPlane: ControlPlane, say: (line: string) => void): Promise<readonly string[]> {
  const apiOf = ({ token }: User): KubernetesApi =>
    createKubernetesApi({
      userAgent: 'lab',
      transport: createHttpTransport(controlPlane),
      tokens: { token: async () => token, renew: () => undefined },
    });
  const callers = {
    admin: apiOf(ADMIN),
    setup: apiOf(CLUSTER_SETUP),
    control: apiOf(WEBHOOK_CONTROL),
    controller: apiOf(CONTROLLER),
    controlPlane,
  };
  const failures: string[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const failure = await check(callers).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    say(`${failure === undefined ? 'ok    ' : 'FAILED'} ${name}`);
    if (failure !== undefined) failures.push(`${name}: ${failure}`);
  }
  return failures;
}
