import { describe, expect, it } from 'vitest';
import { compareWithLive } from '../../../cli/explain/live-state.ts';
import type { Subject } from '../../../shared/explain/explanation.ts';
import { startApiDouble } from '../../kubernetes/support/api-double.ts';
import { connect } from '../../kubernetes/support/connect.ts';
import { aLiveNode, aLiveNodeClaim, aLivePod, aLivePool, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';
import type { RawObject } from '../../kubernetes/support/raw-object.ts';
import { aNode, aNodePool, anInitializedClaim, aPod, aSnapshot } from '../../support/builders.ts';

const snapshot = aSnapshot({
  nodes: [aNode({ name: 'node-1' })],
  claims: [anInitializedClaim('node-1', { name: 'general-1' })],
  pools: [aNodePool({ generation: 1 })],
  pods: [aPod({ name: 'web-1' })],
});

const INITIALIZED = { type: 'Initialized', status: 'True' };
const LIVE = {
  pods: aLivePod(),
  nodes: aLiveNode(),
  claims: aLiveNodeClaim({ status: { conditions: [INITIALIZED] } }),
  pools: aLivePool({ metadata: { generation: 1 } }),
};
const KINDS = ['pods', 'nodes', 'claims', 'pools'] as const;
type Changes = Partial<Record<(typeof KINDS)[number], RawObject | undefined>>;

/** Compares with the same cluster in the API server after changes; `undefined` deletes an object. */
async function compare(subject: Subject | 'pending', changes: Changes = {}) {
  const double = await startApiDouble();
  const objects: Changes = { ...LIVE, ...changes };
  for (const kind of KINDS) {
    const object = objects[kind];
    if (object) double.put(COLLECTIONS[kind], object);
  }
  const { api } = connect(double);
  return compareWithLive(api, subject === 'pending' ? subject : [subject], snapshot);
}

const POD: Subject = { kind: 'pod', name: 'default/web-1' };
const NODE: Subject = { kind: 'node', name: 'node-1' };
const CLAIM: Subject = { kind: 'nodeclaim', name: 'general-1' };
const POOL: Subject = { kind: 'nodepool', name: 'general' };
const deleted = { metadata: { deletionTimestamp: '2026-01-01T12:00:00Z' } };
const notReady = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
const drifted = { status: { conditions: [INITIALIZED, { type: 'Drifted', status: 'True' }] } };

describe('an object of a record, compared with the API server', () => {
  it.each([POD, NODE, CLAIM, POOL, 'pending'] as const)('is current if nothing changed: %o', async (subject) => {
    expect(await compare(subject)).toBe('current');
  });

  it.each([
    ['a pod', POD, 'pods'],
    ['a node', NODE, 'nodes'],
    ['a NodeClaim', CLAIM, 'claims'],
    ['a NodePool', POOL, 'pools'],
  ] as const)('is gone if the API server has it no more: %s', async (_, subject, kind) => {
    expect(await compare(subject, { [kind]: undefined })).toBe('gone');
  });

  it.each([
    ['a pod is being deleted', POD, { pods: aLivePod(deleted) }],
    ['a pod was bound', POD, { pods: aLivePod({ spec: { nodeName: 'node-1' } }) }],
    ['a pod has failed', POD, { pods: aLivePod({ status: { phase: 'Failed' } }) }],
    ['a node is not Ready', NODE, { nodes: aLiveNode(notReady) }],
    [
      'the NodeClaim of a node is being deleted',
      NODE,
      { claims: aLiveNodeClaim({ ...deleted, status: LIVE.claims.status ?? {} }) },
    ],
    ['a NodeClaim is not initialized', NODE, { claims: aLiveNodeClaim() }],
    ['a NodeClaim has drifted', CLAIM, { claims: aLiveNodeClaim(drifted) }],
    ['the Node of a NodeClaim is gone', CLAIM, { nodes: undefined }],
    ['a NodePool is being deleted', POOL, { pools: aLivePool(deleted) }],
    ['a NodePool has another node', POOL, { claims: aLiveNodeClaim({ name: 'general-2' }) }],
    ['another pod waits for a NodePool', POOL, { pods: aLivePod({ name: 'web-2' }) }],
    ['another pod waits', 'pending', { pods: aLivePod({ name: 'web-2' }) }],
  ] as const)('is outdated if %s', async (_, subject, changes) => {
    expect(await compare(subject, changes)).toBe('outdated');
  });
});
