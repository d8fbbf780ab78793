import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { amazonRoots } from '../../../shared/kubernetes/setup/amazon-roots.ts';
import { digestPath, HookUrlError, hookPath, hookUrl } from '../../../shared/kubernetes/setup/hook-url.ts';
import { toHookConfiguration } from '../../../shared/kubernetes/setup/hooks.ts';

const URL_OF_HOOKS = 'https://abc.lambda-url.eu-west-1.on.aws/h/demo/secret';

const configurationSchema = z.object({
  webhooks: z.array(
    z.object({
      name: z.string(),
      clientConfig: z.object({ url: z.string(), caBundle: z.string() }),
      rules: z.array(z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()) })),
      matchPolicy: z.string(),
      matchConditions: z.array(z.object({ name: z.string(), expression: z.string() })),
      failurePolicy: z.string(),
      timeoutSeconds: z.number(),
      sideEffects: z.string(),
    }),
  ),
});

const { webhooks } = configurationSchema.parse(
  toHookConfiguration({ url: URL_OF_HOOKS, certificateAuthorities: amazonRoots() }),
);

describe('every webhook', () => {
  it.each(webhooks.map((hook) => [hook.name, hook] as const))(
    '%s fails open within a second',
    (_, { failurePolicy, timeoutSeconds, sideEffects, clientConfig }) => {
      expect({ failurePolicy, timeoutSeconds, sideEffects, url: clientConfig.url }).toEqual({
        failurePolicy: 'Ignore',
        timeoutSeconds: 1,
        sideEffects: 'NoneOnDryRun',
        url: URL_OF_HOOKS,
      });
    },
  );

  it.each(webhooks.map((hook) => [hook.name, hook] as const))(
    '%s ignores dry runs and our own writes',
    (_, { matchConditions }) => {
      const names = matchConditions.map(({ name }) => name);
      expect(names.slice(0, 2)).toEqual(['not-a-dry-run', 'not-our-own']);
      expect(names).toHaveLength(3);
    },
  );

  it("trusts only Amazon's root certificates", () => {
    for (const { clientConfig } of webhooks) {
      const pem = Buffer.from(clientConfig.caBundle, 'base64').toString();
      const roots = pem.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g) ?? [];
      const names = roots.map((root) => /CN=(.+)$/m.exec(new X509Certificate(root).subject)?.[1]);
      expect(names.toSorted()).toEqual([
        'Amazon Root CA 1',
        'Amazon Root CA 2',
        'Amazon Root CA 3',
        'Amazon Root CA 4',
        'Starfield Services Root Certificate Authority - G2',
      ]);
    }
  });
});

describe('the webhook rules', () => {
  const resources = webhooks.flatMap(({ rules }) => rules.flatMap((rule) => rule.resources));

  it('match Events of pods, nodes, claims and configuration', () => {
    expect(resources).toEqual([
      'events',
      'nodes',
      'nodes/status',
      'nodeclaims',
      'nodepools',
      'nodeoverlays',
      'ec2nodeclasses',
      'capacitybuffers',
    ]);
  });

  it('match no pods, no leases and no wildcards', () => {
    const groups = webhooks.flatMap(({ rules }) => rules.flatMap((rule) => rule.apiGroups));
    expect([...resources, ...groups].filter((name) => /pod(s|\/)|leases|\*/.test(name))).toEqual([]);
  });

  it('match scheduler Events and not the same Events in the core group', () => {
    const [podPending] = webhooks;
    expect(podPending).toMatchObject({ name: 'pod-pending.mortise.sh', matchPolicy: 'Exact' });
  });
});

describe('the address of the webhooks', () => {
  it.each([
    ['http', 'http://host/', 'must begin with https://'],
    ['a user', 'https://user@host/', 'must not name a user'],
    ['a password', 'https://user:pass@host/', 'must not name a user'],
    ['a query', 'https://host/?stage=prod', 'must not have a query'],
    ['an empty query', 'https://host/?', 'must not have a query'],
    ['a fragment', 'https://host/#top', 'must not have a fragment'],
    ['an empty fragment', 'https://host/#', 'must not have a fragment'],
    ['no URL', 'host', 'is no URL'],
    ['nothing', '', 'is no URL'],
  ])('is refused with %s, without exposing the secret', (_, url, why) => {
    const configure = () => toHookConfiguration({ url: `${url}`, certificateAuthorities: amazonRoots() });
    expect(configure).toThrow(HookUrlError);
    expect(configure).toThrow(why);
    expect(() => hookUrl(url, '/h/demo/secret')).toThrow(/^(?!.*secret)/);
  });

  it.each([
    ['https://host/', 'https://host/h/demo/t'],
    ['https://host', 'https://host/h/demo/t'],
    ['https://10.0.0.1:8443/stage/', 'https://10.0.0.1:8443/stage/h/demo/t'],
  ])('%s leads to %s', (address, url) => {
    expect(hookUrl(address, hookPath('demo', 't'))).toBe(url);
  });

  it('is known to the event intake only by a digest', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const [one, other] = [a, b].map((token) => digestPath(hookPath('demo', token)));
        expect(one).toMatch(/^[0-9a-f]{64}$/);
        expect(one === other).toBe(a === b);
      }),
    );
  });
});
