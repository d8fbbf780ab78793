import { request } from 'node:https';
import type { KubernetesApi } from '../../../shared/kubernetes/client/kubernetes-api.ts';
import { FLOW_SCHEMAS } from '../../../shared/kubernetes/setup/flow-schemas.ts';
import { textAt } from '../lab/json.ts';
import type { ControlPlane } from '../lab/kubernetes/control-plane.ts';
import { ADMIN } from '../lab/kubernetes/kubernetes-files.ts';
import { waitUntil } from '../lab/wait-until.ts';
import { expect } from '../scenario.ts';

const PODS = '/api/v1/pods?limit=1';
const NODES = '/api/v1/nodes?limit=1';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/mortise';

/** The FlowSchema of a request that a function sends. */
const EXPECTED: readonly (readonly [group: string, path: string, schema: string])[] = [
  ['mortise:node-lifecycle', PODS, 'mortise-drains'],
  ['mortise:node-lifecycle', LEASE, 'mortise-drains'],
  ['mortise:interruption', PODS, 'mortise-drains'],
  ['mortise:provisioning', PODS, 'mortise-lists'],
  ['mortise:disruption', NODES, 'mortise-lists'],
  ['mortise:sweep', NODES, 'mortise-lists'],
  ['mortise:controller', PODS, 'mortise-lists'],
  ['mortise:provisioning', LEASE, 'mortise-controller'],
  ['mortise:controller', LEASE, 'mortise-controller'],
];

/** Checks which of our FlowSchemas the API server applies to the requests of each function. */
export async function checkFlows(controlPlane: ControlPlane, admin: KubernetesApi): Promise<void> {
  const uids = new Map<string, string>();
  for (const { metadata } of FLOW_SCHEMAS) {
    const path = `/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/${metadata.name}`;
    const object = await admin.read({ verb: 'get', resource: 'flowschemas', path });
    uids.set(textAt(object, 'metadata', 'uid'), metadata.name);
  }
  for (const [group, path, schema] of EXPECTED) {
    // The API server reads new FlowSchemas some seconds later.
    const isApplied = async () => uids.get(await findFlow(controlPlane, group, path)) === schema;
    await waitUntil(`${schema} for ${group} ${path}`, isApplied);
  }
  expect(uids.size === FLOW_SCHEMAS.length, 'some FlowSchemas are missing');
}

/** @returns the uid of the FlowSchema that was applied */
const findFlow = ({ url, certificateAuthority: ca }: ControlPlane, group: string, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${ADMIN.token}`,
      'impersonate-user': 'lab-function',
      'impersonate-group': group,
    };
    request(`${url}${path}`, { ca, headers }, (response) => {
      response.resume();
      resolve(String(response.headers['x-kubernetes-pf-flowschema-uid'] ?? ''));
    })
      .on('error', reject)
      .end();
  });
