import { describe, expect, it } from 'vitest';
import {
  chooseEventSource,
  type EventSourceOptions,
} from '../../../shared/controllers/webhooks/event-source.ts';
import type { ClusterNetwork } from '../../../shared/ports/cluster-setup.ts';

const OPEN: ClusterNetwork = { isPublic: true, publicCidrs: ['0.0.0.0/0'], egress: 'aws-managed' };
const LISTED: ClusterNetwork = { ...OPEN, publicCidrs: ['203.0.113.0/24', '198.51.100.7/32'] };
const PRIVATE: ClusterNetwork = { ...OPEN, isPublic: false, publicCidrs: [] };
const ROUTED: ClusterNetwork = { ...OPEN, egress: 'customer-routed' };
const ISOLATED: ClusterNetwork = { ...OPEN, egress: 'customer-isolated' };

const AUTO: EventSourceOptions = { requestedSource: 'auto', isInVpc: false, isHookPrivate: false };

describe('chooseEventSource', () => {
  it.each<[string, EventSourceOptions, string, string]>([
    ['a cluster that nobody could look at', AUTO, 'hook', 'was not looked at'],
    ['an open cluster', { ...AUTO, network: OPEN }, 'hook', 'the network of EKS'],
    ['egress by the VPC', { ...AUTO, network: ROUTED }, 'hook', 'needs a route'],
    ['no egress', { ...AUTO, network: ISOLATED }, 'poll', 'CUSTOMER_ISOLATED'],
    [
      'a private endpoint, from its VPC',
      { ...AUTO, network: PRIVATE, isInVpc: true },
      'hook',
      'the network of EKS',
    ],
    [
      'a private address and egress by the VPC',
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
    [
      'an option that says so',
      { ...AUTO, network: OPEN, requestedSource: 'poll' },
      'poll',
      'eventSource says so: poll',
    ],
    [
      'no egress and a process of the customer',
      { ...AUTO, network: ISOLATED, requestedSource: 'controller' },
      'controller',
      'eventSource says so: controller',
    ],
  ])('chooses a source for %s', (_, wish, source, why) => {
    const choice = chooseEventSource(wish);
    expect(choice).toMatchObject({ outcome: 'chosen', source });
    expect(choice.why).toContain(why);
  });

  it.each<[string, EventSourceOptions, string]>([
    [
      'SV-27: a list of addresses, from outside',
      { ...AUTO, network: LISTED },
      'only to 203.0.113.0/24, 198.51.100.7/32, and functions have no fixed address',
    ],
    ['a private endpoint, from outside', { ...AUTO, network: PRIVATE }, 'private to its VPC'],
    [
      'hooks at a private address out of reach',
      { ...AUTO, requestedSource: 'hook', network: OPEN, isHookPrivate: true },
      'Leave hookVpcEndpoint out',
    ],
    ['hooks without egress', { ...AUTO, requestedSource: 'hook', network: ISOLATED }, 'Use poll'],
    [
      'a poll that reaches nothing',
      { ...AUTO, requestedSource: 'poll', network: PRIVATE },
      'functionSubnets and functionSecurityGroups',
    ],
  ])('refuses %s', (_, wish, why) => {
    const choice = chooseEventSource(wish);
    expect(choice.outcome).toBe('refused');
    expect(choice.why).toContain(why);
  });
});
