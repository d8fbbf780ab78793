import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { answerHook } from '../../functions/event-intake/answer-hook.ts';
import { decodeBody, type HookCall, hookCallOf } from '../../functions/event-intake/hook-call.ts';
import { createHookTokenVerifier } from '../../functions/event-intake/hook-token-verifier.ts';
import { logger } from '../../functions/support/telemetry.ts';
import { digestPath, hookPath } from '../../shared/kubernetes/setup/hook-url.ts';
import { NOON } from '../support/builders.ts';
import { aCall, aPrivateCall, aQueue, TOKEN } from './fixture.ts';

const opens = (...tokens: readonly string[]) =>
  createHookTokenVerifier(tokens.map((token) => digestPath(hookPath('demo', token))));
const mayEnter = opens(TOKEN);
const sent = (over?: Parameters<typeof aCall>[0]) => hookCallOf(aCall(over));

interface Request {
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly object?: unknown;
  readonly oldObject?: unknown;
}

const review = ({ group, resource, ...rest }: Request): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      operation: 'UPDATE',
      resource: { group, version: 'v1', resource },
      ...rest,
    },
  });

const POD_PENDING = review({ group: 'events.k8s.io', resource: 'events' });
const ALLOWED = (uid: string) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true },
  }),
});

async function call(body: string, queue = aQueue()) {
  const answer = await answerHook({ queue, mayEnter }, sent({ body }));
  return { answer, sent: queue.sent };
}

describe('a call of the API server', () => {
  const LATER = NOON + 1_000;
  const providerID = 'aws:///us-east-1a/i-1';
  const node = { spec: { providerID } };
  const look = {
    hint: {
      topic: 'interruption',
      notice: { kind: 'state-change', providerId: providerID, at: NOON },
    },
    at: LATER,
  };
  const replan = [{ hint: { topic: 'plan' } }, { hint: { topic: 'disrupt' } }];

  it.each([
    ['a pod without a place', { group: 'events.k8s.io', resource: 'events' }, [{ hint: { topic: 'plan' } }]],
    ['a changed Node', { group: '', resource: 'nodes', object: node, oldObject: node }, [look]],
    ['a deleted Node', { group: '', resource: 'nodes', object: null, oldObject: node }, [look]],
    ['a Node that does not know its instance yet', { group: '', resource: 'nodes', object: {} }, []],
    [
      'a NodeClaim, which is looked at when it is stored',
      { group: 'karpenter.sh', resource: 'nodeclaims', name: 'general-1' },
      [{ hint: { topic: 'claim', claim: 'general-1' }, at: LATER }],
    ],
    ['a NodePool', { group: 'karpenter.sh', resource: 'nodepools', name: 'general' }, replan],
    ['a NodeOverlay', { group: 'karpenter.sh', resource: 'nodeoverlays' }, replan],
    [
      'an EC2NodeClass, which is resolved when it is stored',
      { group: 'karpenter.k8s.aws', resource: 'ec2nodeclasses' },
      [{ hint: { topic: 'class' }, at: LATER }, ...replan],
    ],
    ['a CapacityBuffer', { group: 'autoscaling.x-k8s.io', resource: 'capacitybuffers' }, replan],
    [
      'a NodeClaim of a name that no object can have: no table would take it for a key',
      { group: 'karpenter.sh', resource: 'nodeclaims', name: 'x'.repeat(2_000) },
      [],
    ],
    [
      'a Node of an instance that no cloud can have',
      { group: '', resource: 'nodes', object: { spec: { providerID: 'x'.repeat(2_000) } } },
      [],
    ],
    ['a kind of another group', { group: 'example.com', resource: 'nodepools' }, []],
    ['a dry run', { group: 'karpenter.sh', resource: 'nodepools', dryRun: true }, []],
  ] as const)('becomes hints: %s', async (_, request, hints) => {
    const { answer, sent } = await call(review(request));

    expect(answer).toEqual(ALLOWED('u-1'));
    expect(sent).toEqual(hints);
  });

  it('never becomes an interruption notice: only EC2 may send one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (object, oldObject) => {
        const { sent } = await call(review({ group: '', resource: 'nodes', object, oldObject }));
        const kinds = sent.map(({ hint }) => hint.topic === 'interruption' && hint.notice.kind);
        expect(kinds.filter((kind) => kind !== 'state-change')).toEqual([]);
      }),
    );
  });

  it('may have a base64 body', async () => {
    const queue = aQueue();
    const body = Buffer.from(POD_PENDING).toString('base64');
    await answerHook({ queue, mayEnter }, sent({ body, isBase64Encoded: true }));

    expect(queue.sent).toEqual([{ hint: { topic: 'plan' } }]);
  });

  it('may arrive through a private API in another format', () => {
    expect(hookCallOf(aPrivateCall('{}'))).toEqual(sent({ body: '{}' }));
    expect(decodeBody(hookCallOf(aPrivateCall(null)).body)).toBe('');
  });
});

describe('the answer to the API server', () => {
  it('allows the request, whatever its body contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (body) => {
        expect((await call(body)).answer).toEqual(ALLOWED(''));
      }),
    );
  });

  it('allows the request if no hint can be sent', async () => {
    expect((await call(POD_PENDING, aQueue({ fails: true }))).answer).toEqual(ALLOWED('u-1'));
  });

  it('allows a request without a body', async () => {
    expect(await answerHook({ queue: aQueue(), mayEnter }, sent())).toEqual(ALLOWED(''));
  });
});

describe('the body of a call', () => {
  it('is not touched before the token is accepted', async () => {
    const { at } = sent();
    const call: HookCall = {
      path: '/h/demo/guess',
      at,
      body: {
        isBase64: true,
        get text(): never {
          throw new Error('the body was read');
        },
      },
    };
    const answer = await answerHook({ queue: aQueue(), mayEnter }, call);

    expect(answer).toEqual({ statusCode: 403 });
  });

  it.each([false, true])(
    'is rejected above 1.5 MB, without parsing it or sending a hint (base64: %s)',
    async (isBase64Encoded) => {
      const padded = POD_PENDING + ' '.repeat(1_500_000);
      const body = isBase64Encoded ? Buffer.from(padded).toString('base64') : padded;
      const queue = aQueue();
      const answer = await answerHook({ queue, mayEnter }, sent({ body, isBase64Encoded }));

      expect(answer).toEqual({ statusCode: 413 });
      expect(queue.sent).toEqual([]);
    },
  );

  it('is accepted at 1.4 MB, the size of the largest objects', async () => {
    const { answer } = await call(POD_PENDING + ' '.repeat(1_400_000));
    expect(answer).toEqual(ALLOWED('u-1'));
  });
});

describe('the token in the path', () => {
  it.each([
    ['another token', `/h/demo/${TOKEN.toUpperCase()}`],
    ['half a token', `/h/demo/${TOKEN.slice(1)}`],
    ['no token', '/h/demo/'],
    ['another cluster', `/h/other/${TOKEN}`],
    ['more behind it', `/h/demo/${TOKEN}/x`],
    ['nothing', '/'],
  ])('is rejected with %s, without a log line or a hint', async (_, rawPath) => {
    const queue = aQueue();
    const answer = await answerHook({ queue, mayEnter }, sent({ rawPath, body: POD_PENDING }));

    expect(answer).toEqual({ statusCode: 403 });
    expect(queue.sent).toEqual([]);
  });

  it('may be the old or the new one during a rotation', () => {
    const both = opens('old', 'new');
    expect(['old', 'new', 'other'].map((token) => both(`/h/demo/${token}`))).toEqual([true, true, false]);
  });

  it('is never accepted before the cluster is set up, or if a digest is malformed', () => {
    const path = `/h/demo/${TOKEN}`;
    expect(createHookTokenVerifier([])(path)).toBe(false);
    expect(createHookTokenVerifier(['', 'none', 'ab'])(path)).toBe(false);
  });

  it('cannot be replaced by its digest', () => {
    const digest = digestPath(hookPath('demo', TOKEN));
    expect(mayEnter(hookPath('demo', digest))).toBe(false);
  });

  it('appears in no log line', async () => {
    const said: unknown[] = [];
    const note = (...words: readonly unknown[]) => void said.push(words);
    vi.spyOn(logger, 'warn').mockImplementation(note);
    vi.spyOn(logger, 'error').mockImplementation(note);
    await answerHook({ queue: aQueue({ fails: true }), mayEnter }, sent({ body: POD_PENDING }));
    await answerHook({ queue: aQueue(), mayEnter }, sent({ body: 'nothing' }));
    await answerHook({ queue: aQueue(), mayEnter }, sent({ rawPath: `/h/demo/${TOKEN}x` }));
    vi.restoreAllMocks();

    expect(said).toHaveLength(2);
    expect(JSON.stringify(said)).not.toContain(TOKEN);
  });
});
