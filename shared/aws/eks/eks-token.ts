import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import type { TokenSource } from '../../kubernetes/client/kubernetes-api.ts';
import { type AwsCredentials, type PresignedRequest, presignedUrl } from './presigned-url.ts';

export interface EksTokenParts {
  readonly cluster: string;
  readonly region: string;
  readonly clock: Clock;
  readonly credentials: () => Promise<AwsCredentials>;
}

/**
 * EKS takes a token for 15 minutes from its date, whatever expiry it names. Ten leave room for a
 * request that is under way and for clocks that differ.
 *
 * @see aws-iam-authenticator, pkg/token
 */
const RENEW_AFTER_MS = 10 * MINUTE_MS;
/** A token dies with the credentials that signed it. */
const CREDENTIALS_MARGIN_MS = MINUTE_MS;
const EXPIRES_IN_SECONDS = 60;

/** Says who we are by a signed request to STS that EKS sends on; signing needs no network. */
export function eksTokens({ cluster, region, clock, credentials }: EksTokenParts): TokenSource {
  let current: Promise<SignedToken> | undefined;

  async function sign(now: EpochMs): Promise<SignedToken> {
    const identity = await credentials();
    const url = presignedUrl(callerIdentity(cluster, region), identity, now);
    return {
      text: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`,
      renewAt: Math.min(
        now + RENEW_AFTER_MS,
        (identity.expiresAt ?? Number.POSITIVE_INFINITY) - CREDENTIALS_MARGIN_MS,
      ),
    };
  }

  return {
    async token() {
      const now = clock.now();
      if (current) {
        const known = await current;
        if (now < known.renewAt) return known.text;
      }

      const signing = sign(now);
      current = signing;
      // Credentials that failed once may come the next time.
      signing.catch(() => {
        if (current === signing) current = undefined;
      });
      return (await signing).text;
    },
    renew() {
      current = undefined;
    },
  };
}

interface SignedToken {
  readonly text: string;
  readonly renewAt: EpochMs;
}

const callerIdentity = (cluster: string, region: string): PresignedRequest => ({
  host: `sts.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`,
  query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
  headers: { 'x-k8s-aws-id': cluster },
  service: 'sts',
  region,
  expiresInSeconds: EXPIRES_IN_SECONDS,
});
