import { defaulting, int32, int64, listOf, object, oneOf } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';

const PRIMARY: Rule = {
  id: 'EC-26',
  cel: "self.size() == 0 || self.exists(one, one.networkCardIndex == 0 && one.deviceIndex == 0 && one.interfaceType == 'interface')",
  why: 'the first interface (card 0, device 0) is of type interface',
  fix: 'add {networkCardIndex: 0, deviceIndex: 0, interfaceType: interface}',
};

const ONE_PER_PLACE: Rule = {
  id: 'EC-27',
  cel: 'self.all(one, self.exists_one(other, other.networkCardIndex == one.networkCardIndex && other.deviceIndex == one.deviceIndex))',
  why: 'there is one interface per card and device',
  fix: 'give each another deviceIndex',
};

const ONE_EFA_PER_CARD: Rule = {
  id: 'EC-27',
  cel: "self.all(one, one.interfaceType != 'efa-only' || self.exists_one(other, other.interfaceType == 'efa-only' && other.networkCardIndex == one.networkCardIndex))",
  why: 'a card has one efa-only interface at most',
  fix: 'keep one efa-only interface per card',
};

export const networkInterfaces = listOf(
  'The network interfaces of a node. Default: one interface.',
  object('One network interface.', {
    required: {
      networkCardIndex: int32('Index of the network card.', { minimum: 0 }),
      deviceIndex: int32('Device index on the card.', { minimum: 0 }),
      interfaceType: oneOf('interface: IP traffic. efa-only: Elastic Fabric Adapter without IP.', [
        'interface',
        'efa-only',
      ]),
    },
  }),
  { maxItems: 150, rules: [PRIMARY, ONE_PER_PLACE, ONE_EFA_PER_CARD] },
);

export const connectionTracking = object(
  'Timeouts of the connection tracking of idle connections. Requires Nitro instance types.',
  {
    optional: {
      tcpEstablishedTimeout: int32('Seconds for established TCP connections.', {
        minimum: 60,
        maximum: 432_000,
      }),
      udpStreamTimeout: int32('Seconds for UDP flows with more than one request.', {
        minimum: 60,
        maximum: 180,
      }),
      udpTimeout: int32('Seconds for UDP flows of one direction or one request.', {
        minimum: 30,
        maximum: 60,
      }),
    },
    rules: [
      {
        id: 'EC-28',
        cel: 'has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)',
        why: 'an empty connectionTracking says nothing',
        fix: 'add one of the timeouts, or take it out',
      },
    ],
  },
);

const enabling = (description: string) => oneOf(description, ['enabled', 'disabled']);

export const metadataOptions = defaulting(
  object('Access to the instance metadata service.', {
    optional: {
      httpEndpoint: defaulting(enabling('Whether the service answers at all.'), 'enabled'),
      httpProtocolIPv6: defaulting(enabling('Whether it answers over IPv6.'), 'disabled'),
      httpPutResponseHopLimit: defaulting(
        int64('Hop limit of the responses. With 1, pods without host network cannot use the service.', {
          minimum: 1,
          maximum: 64,
        }),
        1,
      ),
      httpTokens: defaulting(
        oneOf('Whether a session token is required (IMDSv2).', ['required', 'optional']),
        'required',
      ),
    },
  }),
  {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'required',
  },
);
