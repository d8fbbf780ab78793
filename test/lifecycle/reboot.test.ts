import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '../../shared/lifecycle/advance.ts';
import type { Observed } from '../../shared/lifecycle/observed.ts';
import { INITIALIZED_LABEL } from '../../shared/model/labels.ts';
import { listClaimConditions } from '../../shared/model/nodes/claim-conditions.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { isRebooting, type Reboot } from '../../shared/model/nodes/reboot.ts';
import { REBOOTING_TAINT } from '../../shared/model/requirements/taints.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { aNode, anInitializedClaim, aPod, NOON, nodeLabels } from '../support/builders.ts';

const requested: Reboot = { cause: 'AcceleratedHardwareReady/XID48', requestedAt: NOON, drainMs: 5 * MINUTE_MS };
const calling: Reboot = { ...requested, fromBoot: { id: 'boot-1', at: NOON } };
const issued: Reboot = { ...calling, issuedAt: NOON };

const claimWith = (reboot: Reboot, over: Partial<NodeClaim> = {}): NodeClaim =>
  anInitializedClaim('a', { name: 'a', reboots: [reboot], ...over });
const initialized = nodeLabels({ [INITIALIZED_LABEL]: 'true' });
const fenced: Partial<Node> = { taints: [REBOOTING_TAINT], bootId: 'boot-1', labels: initialized };
const providerId = anInitializedClaim('a').launch?.providerId ?? '';

const step = (claim: NodeClaim, node: Partial<Node>, over: Partial<Observed> = {}) =>
  advance(claim, {
    now: NOON,
    nodes: [aNode({ name: 'a', providerId, ...node })],
    pods: [],
    instance: { state: 'running' },
    ...over,
  });
const lastReboot = ({ claim }: { readonly claim: NodeClaim }) => claim.reboots?.at(-1);

describe('a reboot', () => {
  it('keeps new pods away before anything else', () => {
    const { effects, claim } = step(claimWith(requested), { bootId: 'boot-1' });

    expect(effects).toMatchObject([{ kind: 'change-node', change: { taints: [REBOOTING_TAINT] } }]);
    expect(lastReboot({ claim })).toEqual(requested);
  });

  it('evicts pods, deletes none, and leaves on the node what remains after the time for the drain', () => {
    const pods = [aPod({ name: 'web', nodeName: 'a', phase: 'Running' })];
    const later = NOON + 4 * MINUTE_MS;

    expect(step(claimWith(requested), fenced, { pods, now: later }).effects.map(({ kind }) => kind)).toEqual(['evict']);
    expect(lastReboot(step(claimWith(requested), fenced, { pods, now: later }))).toEqual(requested);
    expect(lastReboot(step(claimWith(requested), fenced, { pods, now: NOON + 5 * MINUTE_MS }))).toMatchObject({
      fromBoot: { id: 'boot-1' },
    });
  });

  it('waits five seconds for pods that are being bound, unless the time for the drain is zero', () => {
    expect(step(claimWith(requested), fenced)).toMatchObject({ effects: [], wakeAt: NOON + 5 * SECOND_MS });
    expect(lastReboot(step(claimWith({ ...requested, drainMs: 0 }), fenced))).toMatchObject({ fromBoot: { at: NOON } });
  });

  it('calls EC2 once its boot is stored, and takes the mark Initialized back', () => {
    const { effects, claim } = step(claimWith(calling), fenced);

    expect(effects).toEqual([{ kind: 'reboot-instance', providerId }]);
    expect(lastReboot({ claim })).toEqual({ ...calling, issuedAt: NOON });
    expect(claim.initializedAt).toBeUndefined();
    expect(listClaimConditions(claim)).toContainEqual({
      ...{ type: 'Initialized', status: 'Unknown', reason: 'Rebooting', since: NOON },
    });
  });

  it('does not call EC2 again if the node has another boot: the process ended after the call', () => {
    expect(step(claimWith(calling), { ...fenced, bootId: 'boot-2' })).toMatchObject({
      effects: [],
      claim: { reboots: [{ issuedAt: NOON }] },
    });
  });

  it.each<[string, Partial<Observed>]>([
    ['does not run', { instance: { state: 'pending' } }],
    [
      'is in a zone that is shifted away from',
      { instance: { state: 'running', shift: { zone: 'z', zoneId: 'z1', until: NOON } } },
    ],
  ])('is not called for while the instance %s', (_, over) => {
    const waiting = step(claimWith(calling), fenced, over);

    expect(waiting.effects).toEqual([]);
    expect(lastReboot(waiting)).toEqual(calling);
  });

  it('lets pods come back once the node has another boot, and ends when it is Ready', () => {
    const { initializedAt: _, ...claim } = claimWith(issued);
    const booted = step(claim, { ...fenced, bootId: 'boot-2', ready: false });

    expect(booted.effects).toMatchObject([{ change: { taints: [], withoutLabels: [INITIALIZED_LABEL] } }]);
    expect(booted.events).toMatchObject([{ kind: 'rebooted', claim: 'a' }]);
    expect(isRebooting(booted.claim)).toBe(true);
    const back = step(booted.claim, { bootId: 'boot-2', ready: true, labels: nodeLabels({}) });
    expect(isRebooting(back.claim)).toBe(false);
    expect(listClaimConditions(back.claim)).toContainEqual(
      expect.objectContaining({ type: 'Rebooting', status: 'False', reason: 'RebootSucceeded' }),
    );
    expect(step(back.claim, { bootId: 'boot-2', ready: true, labels: nodeLabels({}) })).toMatchObject({
      claim: { initializedAt: NOON },
      events: [],
    });
  });

  it.each<[string, Reboot, number, Partial<Observed>]>([
    ['the node does not come back', issued, 20, {}],
    ['EC2 does not accept the call', calling, 5, {}],
    ['the Node vanishes during the drain', requested, 5, { nodes: [] }],
  ])('ends with a replacement if %s', (_, reboot, minutes, over) => {
    const now = NOON + minutes * MINUTE_MS;

    expect(step(claimWith(reboot), fenced, { now: now - 1, ...over }).claim.deletingAt).toBeUndefined();
    expect(step(claimWith(reboot), fenced, { now, ...over })).toMatchObject({
      claim: { deletingAt: now, removal: 'Unhealthy', drainDeadline: now + 5 * MINUTE_MS },
      events: [{ kind: 'reboot-failed', claim: 'a' }],
    });
  });

  it('gives way to the deletion of its NodeClaim', () => {
    const leaving = claimWith(requested, { deletingAt: NOON, removal: 'Interrupted' });

    expect(step(leaving, fenced).effects).toMatchObject([{ kind: 'change-node' }, { kind: 'delete-node' }]);
  });

  it('calls EC2 only behind its taint, and ends within 31 minutes, whatever the node does', () => {
    const moment = fc.record({
      afterMs: fc.integer({ min: 1, max: 4 * MINUTE_MS }),
      boots: fc.boolean(),
      ready: fc.boolean(),
      isFenced: fc.boolean(),
      exists: fc.boolean(),
      isCrash: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(moment, { minLength: 20, maxLength: 60 }), (moments) => {
        let [claim, now, boot, calls] = [claimWith(requested), NOON, 1, 0];
        for (const { afterMs, boots, ready, isFenced, exists, isCrash } of moments) {
          now += afterMs;
          if (boots && calls > 0) boot += 1;
          const node = aNode({ name: 'a', providerId, ready, bootId: `boot-${boot}` });
          const nodes = exists ? [{ ...node, taints: isFenced ? [REBOOTING_TAINT] : [] }] : [];
          const next = advance(claim, { now, nodes, pods: [], instance: { state: 'running' } });
          const isCall = next.effects.some(({ kind }) => kind === 'reboot-instance');
          if (isCall) calls += 1;
          expect(!isCall || (isFenced && boot === 1)).toBe(true);
          // Effects happen, and the record is lost.
          if (!isCrash) claim = next.claim;
          if (now > NOON + 5 * MINUTE_MS && !isRebooting(claim)) return;
        }
        const { requestedAt, fromBoot, issuedAt } = claim.reboots?.at(-1) ?? requested;
        const lastPhase = issuedAt ?? fromBoot?.at ?? requestedAt;
        expect(now).toBeLessThan(lastPhase + 31 * MINUTE_MS);
      }),
      { numRuns: 300 },
    );
  });
});
