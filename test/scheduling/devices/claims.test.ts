import { describe, expect, it } from 'vitest';
import type { DeviceClaim } from '../../../shared/model/pods/devices.ts';
import { aNodeClaim, aPod } from '../../support/builders.ts';
import { aClaimTemplate, aDeviceClaim, aSliceOf, GPU_DRIVER } from '../../support/devices.ts';
import { aPool, fakeType, HOSTNAME, need, requesting, requiringNode, tiny, Z1, Z2, ZONE } from '../support/fixture.ts';
import { findNodeOfPod, provision, toBoundPod } from '../support/provision.ts';
import { CLAIMING_FROM_TEMPLATE, claiming, createGpus, findFirstReason, ROOMY, withDevices } from './device-fixture.ts';
import { aNodeOf } from './observed-nodes.ts';

describe('a pod with device claims', () => {
  it.each([
    ['its claim', claiming('mine'), {}, 'ResourceClaim default/mine: not found'],
    ['the template of its claim', CLAIMING_FROM_TEMPLATE, {}, 'ResourceClaim default/wish: not found'],
    [
      'the class of its claim',
      CLAIMING_FROM_TEMPLATE,
      { templates: [aClaimTemplate('wish')], classes: [] },
      'ResourceClaim default/wish: DeviceClass gpu not found',
    ],
    [
      'a claim that stays',
      claiming('mine'),
      { claims: [aDeviceClaim('mine', { deleting: true })] },
      'ResourceClaim default/mine: is being deleted',
    ],
  ])('waits for %s', (_, spec, devices, sentence) => {
    const outcome = provision(withDevices(createGpus(1), devices), tiny('a', spec));

    expect(outcome.pending).toEqual(['a']);
    expect(findFirstReason(outcome)).toBe(sentence);
  });

  it('is placed as soon as that exists', () => {
    const devices = { claims: [aDeviceClaim('mine')] };
    expect(provision(withDevices(createGpus(1), devices), tiny('a', claiming('mine'))).pending).toEqual([]);
  });
});

/** The device of `node`, held by these pods. */
const holding = (node: string, ...holders: readonly string[]): DeviceClaim =>
  aDeviceClaim('held', {
    allocation: {
      devices: [{ driver: GPU_DRIVER, pool: node, device: 'gpu-0' }],
      nodeTerms: [[need(HOSTNAME, 'In', node)]],
    },
    holders,
  });

describe('devices of existing nodes', () => {
  const templates = [aClaimTemplate('wish')];
  const node = aNodeOf('here', ROOMY);
  const slices = [aSliceOf('here', createGpus(1))];
  const onNode = toBoundPod(tiny('old', claiming('held')), 'here');

  it('are used before a node is launched', () => {
    const cluster = withDevices([], { slices, templates }, { nodes: [node] });
    const { plan } = provision(cluster, tiny('a', CLAIMING_FROM_TEMPLATE), tiny('b', CLAIMING_FROM_TEMPLATE));

    expect(plan.placements).toEqual([{ target: 'here', pods: ['default/a'] }]);
    expect(plan.claims.flatMap(({ pods }) => pods)).toEqual(['default/b']);
  });

  const settling = () =>
    aNodeClaim({
      name: 'here',
      pool: 'default',
      registeredAt: 1,
      instanceTypes: ['roomy'],
      launch: {
        ...{ providerId: node.providerId ?? '', instanceType: 'roomy', zone: Z1, at: 0 },
        ...{ capacityType: 'on-demand', hourlyUsd: 1, labels: node.labels },
        ...{ capacity: ROOMY.capacity, allocatable: ROOMY.allocatable },
      },
    });

  it('are predicted from the type while a node starts, whatever it shows already', () => {
    const many = { slices: [aSliceOf('here', createGpus(9))], templates };
    const cluster = withDevices(createGpus(1), many, { nodes: [node], claims: [settling()] });
    const { plan } = provision(cluster, tiny('a', CLAIMING_FROM_TEMPLATE), tiny('b', CLAIMING_FROM_TEMPLATE));

    expect(plan.placements).toEqual([{ target: 'here', pods: ['default/a'] }]);
    expect(plan.claims.flatMap(({ pods }) => pods)).toEqual(['default/b']);
  });

  it('are not allocated twice if a pod was bound before the node was initialized', () => {
    const scene = { nodes: [node], claims: [settling()], pods: [onNode] };
    const claims = [holding('here', onNode.uid)];
    const cluster = withDevices(createGpus(2), { slices: [aSliceOf('here', createGpus(2))], templates, claims }, scene);
    const { plan } = provision(cluster, tiny('a', CLAIMING_FROM_TEMPLATE), tiny('b', CLAIMING_FROM_TEMPLATE));

    expect(plan.placements).toEqual([{ target: 'here', pods: ['default/a'] }]);
  });

  it.each([
    ['in use while its pod runs', onNode, false],
    ['free once its pod is going away', { ...onNode, deletionAt: 1 }, true],
    ['free once its pod is gone', aPod({ name: 'other', nodeName: 'here' }), true],
  ])('are %s', (_, pod, isFree) => {
    const claims = [holding('here', onNode.uid)];
    const cluster = withDevices([], { slices, templates, claims }, { nodes: [node], pods: [pod] });
    const { plan } = provision(cluster, tiny('a', CLAIMING_FROM_TEMPLATE));

    expect(plan.placements.map(({ target }) => target)).toEqual(isFree ? ['here'] : []);
  });

  it('keep the pods of an allocated claim where they can use it', () => {
    const claims = [holding('here', onNode.uid)];
    const scene = { nodes: [aNodeOf('before', ROOMY), node], pods: [onNode] };
    const cluster = withDevices([], { slices, claims }, scene);
    const { plan } = provision(cluster, tiny('a', claiming('held')));

    expect(plan.placements).toEqual([{ target: 'here', pods: ['default/a'] }]);
  });
});

describe('pods that share a device claim', () => {
  const claims = [aDeviceClaim('ours')];
  const SHARING = claiming('ours');

  it('share its node', () => {
    const outcome = provision(
      withDevices(createGpus(1), { claims }),
      tiny('a', { ...SHARING, requests: requesting(4) }),
      tiny('b', { ...SHARING, requests: requesting(6) }),
    );

    expect(outcome.pending).toEqual([]);
    expect(outcome.plan.claims).toHaveLength(1);
  });

  it('share a node that is large enough for all of them', () => {
    const small = fakeType('small-gpu', { cpus: 4, gib: 8 });
    const nodes = [aNodeOf('shows-small', small, { allocatable: {} })];
    const slices = [aSliceOf('shows-small', createGpus(1))];
    const cluster = withDevices(createGpus(1), { claims, slices }, { types: [small, ROOMY], nodes });
    const spec = { ...SHARING, requests: requesting(3) };
    const outcome = provision(cluster, tiny('a', spec), tiny('b', spec));

    expect(outcome.pending).toEqual([]);
    expect(findNodeOfPod(outcome, 'a')?.name).toBe(findNodeOfPod(outcome, 'b')?.name);
  });

  it('are not placed if they cannot share a node', () => {
    const inZone = (zone: string) => requiringNode(need(ZONE, 'In', zone));
    const outcome = provision(
      withDevices(createGpus(1), { claims }, { pools: [aPool()] }),
      tiny('a', { ...SHARING, ...inZone(Z1) }),
      tiny('b', { ...SHARING, ...inZone(Z2) }),
    );

    expect(outcome.pending).toHaveLength(1);
  });
});
