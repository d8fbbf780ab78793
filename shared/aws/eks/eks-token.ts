import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import { type AwsCredentials, awsDomain, presignUrl } from '../signed-request.ts';

export interface ExpiringCredentials extends AwsCredentials {
  /** Undefined if the credentials do not expire. */
  readonly expiresAt?: EpochMs;
}

/** Fits the `TokenSource` of the Kubernetes client. */
export interface EksTokens {
  /** Returns the cached token, or a new one shortly before the cached one expires. */
  token(): Promise<string>;
  /** Discards the cached token after the API server has refused it. */
  renew(): void;
}

export interface EksTokenDependencies {
  readonly cluster: string;
  readonly region: string;
  readonly clock: Clock;
  readonly credentials: () => Promise<ExpiringCredentials>;
}

/**
 * EKS accepts a token for 15 minutes from its date, whatever its expiry. Ten minutes leave room for
 * requests in progress and for clock skew.
 *
 * @see aws-iam-authenticator, pkg/token
 */
const RENEW_AFTER_MS = 10 * MINUTE_MS;
/** A token becomes invalid with the credentials that signed it. */
const CREDENTIALS_MARGIN_MS = MINUTE_MS;
const EXPIRES_IN_SECONDS = 60;

/**
 * Creates bearer tokens for the API server: a presigned STS request that EKS forwards. Signing
 * needs no network.
 */
export function eksTokens({ cluster, region, clock, credentials }: EksTokenDependencies): EksTokens {
  let current: Promise<SignedToken> | undefined;

  async function sign(now: EpochMs): Promise<SignedToken> {
    const identity = await credentials();
    const url = await presignUrl(
      { url: callerIdentityUrl(region), headers: { 'x-k8s-aws-id': cluster } },
      { service: 'sts', region },
      identity,
      { now, expiresInSeconds: EXPIRES_IN_SECONDS },
    );
    return {
      text: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`,
      renewAt: Math.min(now + RENEW_AFTER_MS, (identity.expiresAt ?? Number.POSITIVE_INFINITY) - CREDENTIALS_MARGIN_MS),
    };
  }

  return {
    async token() {
      const now = clock.now();
      if (current) {
        const cached = await current;
        if (now < cached.renewAt) return cached.text;
      }

      const signing = sign(now);
      current = signing;
      // The next call tries again after credentials have failed.
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

const callerIdentityUrl = (region: string): string =>
  `https://sts.${region}.${awsDomain(region)}/?Action=GetCallerIdentity&Version=2011-06-15`;
