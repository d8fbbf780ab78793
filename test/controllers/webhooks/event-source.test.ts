import { describe, expect, it } from 'vitest';
import { chooseEventSource, type EventSourceOptions } from '../../../shared/controllers/webhooks/cluster-setup.ts';
import type { ClusterNetwork } from '../../../shared/ports/cluster-setup.ts';

const OPEN: ClusterNetwork = { isPublic: true, publicCidrs: ['0.0.0.0/0'], egress: 'aws-managed' };
const LISTED: ClusterNetwork = { ...OPEN, publicCidrs: ['203.0.113.0/24', '198.51.100.7/32'] };
const PRIVATE: ClusterNetwork = { ...OPEN, isPublic: false, publicCidrs: [] };
const ROUTED: ClusterNetwork = { ...OPEN, egress: 'customer-routed' };
const ISOLATED: ClusterNetwork = { ...OPEN, egress: 'customer-isolated' };

const AUTO: EventSourceOptions = { requestedSource: 'auto', isInVpc: false, isHookPrivate: false };

describe('chooseEventSource', () => {
  it.each<[string, EventSourceOptions, string, string]>([
    ['a cluster whose network could not be read', AUTO, 'hook', 'was not looked at'],
    ['a public cluster', { ...AUTO, network: OPEN }, 'hook', 'the network of EKS'],
    ['egress through the VPC', { ...AUTO, network: ROUTED }, 'hook', 'needs a route'],
    ['no egress', { ...AUTO, network: ISOLATED }, 'poll', 'CUSTOMER_ISOLATED'],
    ['a private endpoint, from its VPC', { ...AUTO, network: PRIVATE, isInVpc: true }, 'hook', 'the network of EKS'],
    [
      'a private address and egress through the VPC',
      { ...AUTO, network: ROUTED, isHookPrivate: true },
      'hook',
      'needs a route',
    ],
    [
      'a private address that the control plane does not reach',
      { ...AUTO, network: OPEN, isHookPrivate: true },
      'poll',
      'AWS_MANAGED',
    ],
    ['an explicit option', { ...AUTO, network: OPEN, requestedSource: 'poll' }, 'poll', 'eventSource says so: poll'],
    [
      'a choice of the stack',
      { ...AUTO, network: OPEN, requestedSource: 'poll', reason: 'no function URLs' },
      'poll',
      'no function URLs',
    ],
    [
      'no egress and a controller process',
      { ...AUTO, network: ISOLATED, requestedSource: 'controller' },
      'controller',
      'eventSource says so: controller',
    ],
  ])('chooses a source for %s', (_, request, source, why) => {
    const choice = chooseEventSource(request);
    expect(choice).toMatchObject({ outcome: 'chosen', source });
    expect(choice.why).toContain(why);
  });

  it.each<[string, EventSourceOptions, string]>([
    [
      'an address allow-list, from outside of the VPC',
      { ...AUTO, network: LISTED },
      'only to 203.0.113.0/24, 198.51.100.7/32, and functions have no fixed address',
    ],
    ['a private endpoint, from outside of the VPC', { ...AUTO, network: PRIVATE }, 'private to its VPC'],
    [
      'webhooks at a private address that the control plane does not reach',
      { ...AUTO, requestedSource: 'hook', network: OPEN, isHookPrivate: true },
      'Leave hookVpcEndpoint out',
    ],
    ['webhooks without egress', { ...AUTO, requestedSource: 'hook', network: ISOLATED }, 'Use poll'],
    [
      'polling without a reachable endpoint',
      { ...AUTO, requestedSource: 'poll', network: PRIVATE },
      'functionSubnets and functionSecurityGroups',
    ],
  ])('refuses %s', (_, request, why) => {
    const choice = chooseEventSource(request);
    expect(choice.outcome).toBe('refused');
    expect(choice.why).toContain(why);
  });
});
