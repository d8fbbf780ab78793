import { describe, expect, it } from 'vitest';
import { type ExpiringCredentials, eksTokens } from '../../../shared/aws/eks/eks-token.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';

const CREDENTIALS: ExpiringCredentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

function aSigner(credentials: ExpiringCredentials = CREDENTIALS) {
  let now = NOON;
  let signings = 0;
  const tokens = eksTokens({
    cluster: 'shop',
    region: 'eu-central-1',
    clock: { now: () => now },
    credentials: async () => {
      signings += 1;
      return credentials;
    },
  });
  return {
    tokens,
    signings: () => signings,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const urlOf = (token: string): string => Buffer.from(token.replace('k8s-aws-v1.', ''), 'base64url').toString();

describe('an EKS token', () => {
  // The signatures of botocore 1.43 for the same request, keys and second.
  it.each([
    [
      'lasting credentials',
      CREDENTIALS,
      { 'X-Amz-Signature': 'f12aaa781bc5cece82acc36e682b1c223dae90263ff10e22c53af72012196cee' },
    ],
    [
      'a session',
      { ...CREDENTIALS, sessionToken: 'a/session+token==' },
      {
        'X-Amz-Security-Token': 'a/session+token==',
        'X-Amz-Signature': '3c3b610032cf760bbda31ac98b056c3edbbc1b883d4557d702657e674269d520',
      },
    ],
  ])('is the request to STS with the signature of botocore: %s', async (_, credentials, rest) => {
    const token = await aSigner(credentials).tokens.token();

    expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
    const url = new URL(urlOf(token));
    expect(url.origin).toBe('https://sts.eu-central-1.amazonaws.com');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20260101/eu-central-1/sts/aws4_request',
      'X-Amz-Date': '20260101T120000Z',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      ...rest,
    });
  });

  it('has another signature for another cluster', async () => {
    const parts = { region: 'eu-central-1', clock: { now: () => NOON } };
    const credentials = async () => CREDENTIALS;

    const ours = await eksTokens({ ...parts, cluster: 'shop', credentials }).token();
    const theirs = await eksTokens({ ...parts, cluster: 'bank', credentials }).token();

    expect(ours).not.toBe(theirs);
  });

  it('uses the domain of China in Chinese regions', async () => {
    const clock = { now: () => NOON };
    const credentials = async () => CREDENTIALS;
    const token = await eksTokens({
      cluster: 'c',
      region: 'cn-north-1',
      clock,
      credentials,
    }).token();

    expect(urlOf(token)).toMatch(/^https:\/\/sts\.cn-north-1\.amazonaws\.com\.cn\//);
  });

  it('is reused for ten minutes', async () => {
    const { tokens, signings, pass } = aSigner();
    const first = await tokens.token();

    pass(10 * MINUTE_MS - 1);
    expect(await tokens.token()).toBe(first);
    pass(1);
    expect(await tokens.token()).not.toBe(first);
    expect(signings()).toBe(2);
  });

  it('ends a minute before the credentials that signed it', async () => {
    const { tokens, signings, pass } = aSigner({ ...CREDENTIALS, expiresAt: NOON + 3 * MINUTE_MS });
    await tokens.token();

    pass(2 * MINUTE_MS - 1);
    await tokens.token();
    expect(signings()).toBe(1);
    pass(1);
    await tokens.token();
    expect(signings()).toBe(2);
  });

  it('is signed again after it was refused', async () => {
    const { tokens, pass } = aSigner();
    const first = await tokens.token();

    pass(SECOND_MS);
    tokens.renew();

    expect(await tokens.token()).not.toBe(first);
  });

  it('is signed once for concurrent requests', async () => {
    const { tokens, signings } = aSigner();

    const [one, two] = await Promise.all([tokens.token(), tokens.token()]);

    expect(one).toBe(two);
    expect(signings()).toBe(1);
  });

  it('is signed after credentials have failed once', async () => {
    let isBroken = true;
    const tokens = eksTokens({
      cluster: 'shop',
      region: 'eu-central-1',
      clock: { now: () => NOON },
      credentials: async () => {
        if (isBroken) throw new Error('no credentials');
        return CREDENTIALS;
      },
    });

    await expect(tokens.token()).rejects.toThrow('no credentials');
    isBroken = false;

    await expect(tokens.token()).resolves.toMatch(/^k8s-aws-v1\./);
  });
});
