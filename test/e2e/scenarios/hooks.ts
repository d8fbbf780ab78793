import { createHttpTransport } from '../../../shared/kubernetes/client/http-transport.ts';
import {
  type ApiResponse,
  createKubernetesApi,
  formatUserAgent,
  type KubernetesApi,
} from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { BAD_ENDPOINTS, type BadEndpoint } from '../hook-cases/bad-endpoints.ts';
import { HOOK_CASES, type HookStep } from '../hook-cases/hook-conditions.ts';
import { type HookClient, runHookCase } from '../hook-cases/run-hook-case.ts';
import { textAt } from '../lab/json.ts';
import type { HookFault } from '../lab/kubernetes/hook-proxy.ts';
import { ADMIN, CONTROLLER, type User } from '../lab/kubernetes/kubernetes-files.ts';
import type { Lab } from '../lab/start-lab.ts';
import { expect, type Scenario } from '../scenario.ts';

export const hookConditions: Scenario = {
  name: 'a write calls the hooks that it must, and no other',
  id: 'hooks',
  async run(lab) {
    const hookLab = hookLabOf(lab);
    const faults: string[] = [];
    for (const hookCase of HOOK_CASES) {
      const failures = await runHookCase(hookLab, hookCase);
      faults.push(...failures.map((fault) => `${hookCase.title}: ${fault}`));
    }
    expect(faults.length === 0, faults.join('\n'));
    return { cases: HOOK_CASES.length };
  },
};

/** A little more than the webhook timeout of one second, for a slow machine. */
const MAX_MS = 4_000;

export const badEndpoints: Scenario = {
  name: 'whatever answers at the address of the hooks, writes succeed',
  id: 'endpoints',
  async run(lab) {
    const slow: string[] = [];
    for (const [index, { title, behaves }] of BAD_ENDPOINTS.entries()) {
      lab.hooks.fault(faultOf(behaves));
      const start = Date.now();
      await lab.kubectl(['apply', '-f', '-'], unusedPool(`endpoint-${index}`));
      if (Date.now() - start > MAX_MS) slow.push(`${title}: ${Date.now() - start} ms`);
    }
    lab.hooks.fault('none');
    const names = BAD_ENDPOINTS.map((_, index) => `endpoint-${index}`);
    await lab.kubectl(['delete', 'nodepool', ...names]);
    expect(slow.length === 0, slow.join('\n'));
    return { endpoints: BAD_ENDPOINTS.length };
  },
};

function faultOf(behaves: BadEndpoint['behaves']): HookFault {
  if (behaves === 'silence') return 'swallow';
  return behaves;
}

const unusedPool = (name: string): object => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    limits: { nodes: '0' },
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'nobody' },
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
      },
    },
  },
});

function hookLabOf(lab: Lab): HookClient {
  const apis = { admin: apiOf(lab, ADMIN), controller: apiOf(lab, CONTROLLER) };
  let heard = lab.hooks.calls.length;
  return {
    async send(step) {
      const { status, body } = await send(apis[step.as ?? 'admin'], step);
      if (step.isDryRun !== true && step.verb !== 'delete') await waitForCache(apis.admin, step, body);
      return status;
    },
    takeCalls() {
      const calls = lab.hooks.calls.slice(heard);
      heard = lab.hooks.calls.length;
      // Other controllers write nodes too. After a conflict with them, the API server calls the
      // webhooks again.
      const calledHooks = calls
        .filter(({ user }) => user === ADMIN.name || user === CONTROLLER.name)
        .map(({ operation, resource }) => `${operation} ${resource.replace(/\.[^/]*/, '')}`);
      return [...new Set(calledHooks)];
    },
  };
}

const apiOf = ({ controlPlane }: Lab, { token }: User): KubernetesApi =>
  createKubernetesApi({
    userAgent: formatUserAgent('0.0.0', 'lab'),
    transport: createHttpTransport(controlPlane),
    tokens: { token: async () => token, renew: () => undefined },
  });

function send(api: KubernetesApi, step: HookStep): Promise<ApiResponse> {
  const { verb, path, body, isDryRun } = step;
  return api.send({
    verb,
    resource: path,
    path,
    ...(body !== undefined && { body }),
    ...(verb === 'patch' && { contentType: 'application/merge-patch+json' }),
    ...(isDryRun && { query: { dryRun: 'All' } }),
  });
}

/**
 * The API server evaluates a patch against its cache, which follows a write some milliseconds
 * later, and would then call a webhook for the previous change again. A read of that version waits
 * for the cache.
 */
async function waitForCache(api: KubernetesApi, { path, verb }: HookStep, written: unknown) {
  const resourceVersion = textAt(written, 'metadata', 'resourceVersion');
  if (resourceVersion === '') return;
  const object = verb === 'create' ? `${path}/${textAt(written, 'metadata', 'name')}` : path;
  const read = object.replace(/\/status$/, '');
  await api.send({ verb: 'get', resource: read, path: read, query: { resourceVersion } });
}
